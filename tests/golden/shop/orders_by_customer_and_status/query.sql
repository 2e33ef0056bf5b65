SELECT status, AVG(CLAMP(orders, 0, 20)) AS orders
FROM (SELECT customer_id, status, COUNT(*) AS orders FROM orders GROUP BY customer_id, status)
GROUP BY status
