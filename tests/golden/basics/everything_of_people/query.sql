SELECT region, COUNT(*) AS n, COUNT(DISTINCT salary) AS d, SUM(salary) AS s, AVG(salary) AS a, MEDIAN(salary) AS m,
  QUANTILE_CONT(salary, 0.9) AS q, MIN(salary) AS least, MAX(salary) AS most, MODE(floor) AS common, APPROX_TOP_K(floor, 2) AS two
FROM staff GROUP BY region
