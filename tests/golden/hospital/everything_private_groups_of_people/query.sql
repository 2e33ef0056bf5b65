SELECT diagnosis, COUNT(*) AS n, COUNT(DISTINCT bill) AS d, SUM(bill) AS s, AVG(bill) AS a, MEDIAN(bill) AS m,
  QUANTILE_CONT(bill, 0.9) AS q, MIN(bill) AS least, MAX(bill) AS most, MODE(ward) AS common, APPROX_TOP_K(ward, 2) AS two
FROM visits GROUP BY diagnosis
