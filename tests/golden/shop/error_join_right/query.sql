SELECT COUNT(*) AS n
FROM orders AS o
RIGHT JOIN customers AS c ON o.customer_id = c.customer_id
