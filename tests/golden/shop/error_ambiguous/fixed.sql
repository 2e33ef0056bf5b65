-- pasted: c.customer_id
-- asks: what was meant
SELECT COUNT(*) AS n
FROM orders AS o
JOIN customers AS c ON o.customer_id = c.customer_id
WHERE c.customer_id > 100
