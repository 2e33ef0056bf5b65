SELECT QUANTILE_CONT(salary, [0.1, 0.9]) AS q FROM staff
