-- pasted: QUANTILE_CONT(salary, 0.1), QUANTILE_CONT(salary, 0.9)
-- asks: the same
SELECT QUANTILE_CONT(salary, 0.1), QUANTILE_CONT(salary, 0.9) FROM staff
