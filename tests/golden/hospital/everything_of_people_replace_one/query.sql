SELECT ward, COUNT(*) AS n, COUNT(DISTINCT days) AS d, SUM(days) AS s, AVG(days) AS a, MEDIAN(days) AS m,
  QUANTILE_CONT(days, 0.9) AS q, MIN(days) AS least, MAX(days) AS most, MODE(emergency) AS common, APPROX_TOP_K(emergency, 2) AS two
FROM visits GROUP BY ward
