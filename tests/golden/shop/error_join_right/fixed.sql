-- pasted: FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.customer_id
-- asks: the same
SELECT COUNT(*) AS n
FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.customer_id
