SELECT region, COUNT(*) AS n, SUM(salary) AS total, AVG(salary) AS pay
FROM staff
GROUP BY region
