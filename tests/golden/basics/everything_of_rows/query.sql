SELECT colour, COUNT(*) AS n, COUNT(DISTINCT weight) AS d, SUM(weight) AS s, AVG(weight) AS a, MEDIAN(weight) AS m,
  QUANTILE_CONT(weight, 0.9) AS q, MIN(weight) AS least, MAX(weight) AS most, MODE(lives) AS common, APPROX_TOP_K(lives, 2) AS two
FROM cats GROUP BY colour
