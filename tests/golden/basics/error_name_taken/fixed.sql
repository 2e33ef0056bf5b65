-- pasted: AS n_low_2
SELECT COUNT(*) AS n, SUM(salary) AS n_low_2 FROM staff
