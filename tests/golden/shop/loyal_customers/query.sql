WITH loyal AS (
  SELECT customer_id, COUNT(*) AS orders, MIN(placed) AS first
  FROM orders
  WHERE status = 'sent'
  GROUP BY customer_id
  HAVING COUNT(*) > 1
)
SELECT COUNT(*) AS customers, AVG(CLAMP(orders, 0, 20)) AS orders FROM loyal
