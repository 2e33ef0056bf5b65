SELECT COALESCE(region, 'none') AS region, COUNT(*) AS n, AVG(salary)::DECIMAL(10, 2) AS pay
FROM staff
GROUP BY COALESCE(region, 'none')
