-- pasted: QUANTILE_CONT(salary, 0.9)
SELECT QUANTILE_CONT(salary, 0.9) AS q FROM staff
