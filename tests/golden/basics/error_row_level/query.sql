SELECT region, name, COUNT(*)
FROM staff
GROUP BY region
