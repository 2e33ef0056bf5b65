SELECT street, COUNT(*) AS n, COUNT(DISTINCT waited) AS d, SUM(waited) AS s, AVG(waited) AS a, MEDIAN(waited) AS m,
  QUANTILE_CONT(waited, 0.9) AS q, MIN(waited) AS least, MAX(waited) AS most, MODE(pain) AS common, APPROX_TOP_K(pain, 2) AS two
FROM survey GROUP BY street
