-- pasted: WHERE o.customer_id = c.customer_id
-- asks: something else: add the condition
SELECT COUNT(*) AS n
FROM orders AS o, customers AS c
WHERE o.customer_id = c.customer_id
