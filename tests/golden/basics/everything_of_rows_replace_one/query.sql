SELECT ward, COUNT(*) AS n, COUNT(DISTINCT dose) AS d, SUM(dose) AS s, AVG(dose) AS a, MEDIAN(dose) AS m,
  QUANTILE_CONT(dose, 0.9) AS q, MIN(dose) AS least, MAX(dose) AS most, MODE(positive) AS common, APPROX_TOP_K(positive, 2) AS two
FROM clinic GROUP BY ward
