-- pasted: MIN(salary), QUANTILE_CONT(salary, 0.25), QUANTILE_CONT(salary, 0.5), QUANTILE_CONT(salary, 0.75), MAX(salary)
-- asks: the same
SELECT MIN(salary), QUANTILE_CONT(salary, 0.25), QUANTILE_CONT(salary, 0.5), QUANTILE_CONT(salary, 0.75), MAX(salary) FROM staff
