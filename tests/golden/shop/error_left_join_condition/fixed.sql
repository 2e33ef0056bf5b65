-- done: into a sub-query
SELECT COUNT(*) AS n
FROM customers AS c
LEFT JOIN (SELECT customer_id FROM orders WHERE amount > 100) AS o ON c.customer_id = o.customer_id
