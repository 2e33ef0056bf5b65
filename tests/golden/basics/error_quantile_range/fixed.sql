-- pasted: QUANTILE_CONT(salary, 0.9)
-- asks: what was meant
SELECT QUANTILE_CONT(salary, 0.9) AS q FROM staff
