SELECT COUNT(*) AS n
FROM (
  SELECT customer_id, status FROM orders GROUP BY customer_id, status
  UNION ALL
  SELECT a.customer_id, a.status FROM orders AS a JOIN orders AS b ON a.customer_id = b.customer_id
)
