-- pasted: JOIN customers AS c ON o.customer_id = c.customer_id
-- asks: something else: which keeps only rows with a match
SELECT COUNT(*) AS n
FROM orders AS o
JOIN customers AS c ON o.customer_id = c.customer_id
