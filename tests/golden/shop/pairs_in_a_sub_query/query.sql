SELECT COUNT(*) AS customers, AVG(CLAMP(n, 0, 100)) AS pairs
FROM (
  SELECT a.customer_id, COUNT(*) AS n
  FROM orders AS a JOIN orders AS b ON a.customer_id = b.customer_id AND a.order_id < b.order_id
  GROUP BY a.customer_id
  HAVING COUNT(*) >= 2
)
