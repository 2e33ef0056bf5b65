SELECT COUNT(*) AS n, SUM(salary) AS n_low FROM staff
