SELECT COUNT(*) AS n
FROM orders AS o
FULL JOIN customers AS c ON o.customer_id = c.customer_id
