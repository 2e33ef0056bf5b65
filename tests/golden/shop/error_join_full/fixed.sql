-- pasted: FROM orders AS o LEFT JOIN customers AS c ON o.customer_id = c.customer_id
-- pasted: FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id)
-- asks: the same
SELECT COUNT(*) AS n FROM orders AS o LEFT JOIN customers AS c ON o.customer_id = c.customer_id;
SELECT COUNT(*) AS n FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id)
