SELECT ward, VAR_POP(days) AS a, VAR_SAMP(days) AS b, STDDEV_POP(days) AS c, STDDEV_SAMP(days) AS d,
  COVAR_POP(days, bill) AS e, COVAR_SAMP(days, bill) AS f, CORR(days, bill) AS g,
  REGR_SLOPE(days, bill) AS h, REGR_INTERCEPT(days, bill) AS i
FROM visits GROUP BY ward
