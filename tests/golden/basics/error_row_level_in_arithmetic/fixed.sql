-- done: GROUP BY it
-- asks: what was meant
SELECT region, age / COUNT(*) AS odd
FROM staff
GROUP BY region, age
