-- done: select the same columns in each part
-- asks: what was meant
SELECT COUNT(*) AS n
FROM (SELECT customer_id, amount FROM orders UNION ALL SELECT customer_id, amount FROM orders)
