SELECT status, COUNT(*) AS n
FROM orders
GROUP BY ROLLUP (status)
