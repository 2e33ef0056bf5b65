SELECT colour, VAR_POP(weight) AS a, VAR_SAMP(weight) AS b, STDDEV_POP(weight) AS c, STDDEV_SAMP(weight) AS d,
  COVAR_POP(weight, lives) AS e, COVAR_SAMP(weight, lives) AS f, CORR(weight, lives) AS g,
  REGR_SLOPE(weight, lives) AS h, REGR_INTERCEPT(weight, lives) AS i
FROM cats GROUP BY colour
