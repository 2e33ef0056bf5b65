SELECT region, age / COUNT(*) AS odd
FROM staff
GROUP BY region
