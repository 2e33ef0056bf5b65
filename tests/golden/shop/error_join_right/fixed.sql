-- pasted: LEFT JOIN
-- left out: RIGHT
SELECT COUNT(*) AS n
FROM customers AS c
LEFT JOIN orders AS o ON o.customer_id = c.customer_id
