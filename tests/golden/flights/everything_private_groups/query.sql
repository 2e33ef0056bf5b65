SELECT place, COUNT(*) AS n, COUNT(DISTINCT minutes) AS d, SUM(minutes) AS s, AVG(minutes) AS a, MEDIAN(minutes) AS m,
  QUANTILE_CONT(minutes, 0.9) AS q, MIN(minutes) AS least, MAX(minutes) AS most, MODE(cause) AS common, APPROX_TOP_K(cause, 2) AS two
FROM delays GROUP BY place
