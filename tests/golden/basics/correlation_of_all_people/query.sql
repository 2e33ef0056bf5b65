SELECT CORR(age, salary) AS r, COVAR_POP(salary, age) AS c FROM staff
