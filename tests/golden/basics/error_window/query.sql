SELECT SUM(salary) OVER (PARTITION BY region) FROM staff
