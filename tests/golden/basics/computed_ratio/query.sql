SELECT SUM(salary) / COUNT(*) FROM staff
