SELECT COUNT(*) AS n
FROM orders AS o
JOIN customers AS c ON o.customer_id = c.customer_id
WHERE customer_id > 100
