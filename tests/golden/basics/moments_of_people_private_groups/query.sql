SELECT city, VAR_POP(age) AS a, VAR_SAMP(age) AS b, STDDEV_POP(age) AS c, STDDEV_SAMP(age) AS d,
  COVAR_POP(age, salary) AS e, COVAR_SAMP(age, salary) AS f, CORR(age, salary) AS g,
  REGR_SLOPE(age, salary) AS h, REGR_INTERCEPT(age, salary) AS i
FROM staff GROUP BY city
