-- left out: name, 
-- done: leave name out
-- asks: what was meant
SELECT region, COUNT(*)
FROM staff
GROUP BY region
