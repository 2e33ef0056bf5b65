SELECT place, VAR_POP(minutes) AS a, VAR_SAMP(minutes) AS b, STDDEV_POP(minutes) AS c, STDDEV_SAMP(minutes) AS d,
  COVAR_POP(minutes, EXTRACT(hour FROM reported)) AS e, COVAR_SAMP(minutes, EXTRACT(hour FROM reported)) AS f, CORR(minutes, EXTRACT(hour FROM reported)) AS g,
  REGR_SLOPE(minutes, EXTRACT(hour FROM reported)) AS h, REGR_INTERCEPT(minutes, EXTRACT(hour FROM reported)) AS i
FROM delays GROUP BY place
