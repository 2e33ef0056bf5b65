SELECT city, COUNT(*) AS n, COUNT(DISTINCT age) AS d, SUM(age) AS s, AVG(age) AS a, MEDIAN(age) AS m,
  QUANTILE_CONT(age, 0.9) AS q, MIN(age) AS least, MAX(age) AS most, MODE(smoker) AS common, APPROX_TOP_K(smoker, 2) AS two
FROM staff GROUP BY city
