SELECT street, VAR_POP(waited) AS a, VAR_SAMP(waited) AS b, STDDEV_POP(waited) AS c, STDDEV_SAMP(waited) AS d,
  COVAR_POP(waited, pain) AS e, COVAR_SAMP(waited, pain) AS f, CORR(waited, pain) AS g,
  REGR_SLOPE(waited, pain) AS h, REGR_INTERCEPT(waited, pain) AS i
FROM survey GROUP BY street
