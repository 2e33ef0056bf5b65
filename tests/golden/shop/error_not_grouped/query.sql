SELECT COUNT(*) AS n
FROM (SELECT customer_id, status, COUNT(*) AS orders FROM orders GROUP BY customer_id)
WHERE orders > 3
