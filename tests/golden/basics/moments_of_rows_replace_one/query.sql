SELECT ward, VAR_POP(dose) AS a, VAR_SAMP(dose) AS b, STDDEV_POP(dose) AS c, STDDEV_SAMP(dose) AS d,
  COVAR_POP(dose, weight) AS e, COVAR_SAMP(dose, weight) AS f, CORR(dose, weight) AS g,
  REGR_SLOPE(dose, weight) AS h, REGR_INTERCEPT(dose, weight) AS i
FROM clinic GROUP BY ward
