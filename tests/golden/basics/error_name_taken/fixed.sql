-- pasted: SUM(salary) AS n_low_2
-- asks: the same
SELECT COUNT(*) AS n, SUM(salary) AS n_low_2 FROM staff
