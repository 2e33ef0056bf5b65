-- pasted: LEFT JOIN (SELECT * FROM orders AS o WHERE o.amount > 100) AS o ON
-- asks: the same
SELECT COUNT(*) AS n
FROM customers AS c
LEFT JOIN (SELECT * FROM orders AS o WHERE o.amount > 100) AS o ON c.customer_id = o.customer_id
