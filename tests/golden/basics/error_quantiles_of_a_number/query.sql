SELECT APPROX_QUANTILES(salary, 4) AS quartiles FROM staff
