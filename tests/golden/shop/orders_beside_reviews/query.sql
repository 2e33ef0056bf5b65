SELECT o.status, COUNT(*) AS pairs
FROM orders AS o
LEFT JOIN reviews AS r ON o.customer_id = r.customer_id
GROUP BY o.status
