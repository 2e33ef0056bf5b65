-- pasted: UNION ALL
-- asks: something else: which keeps all rows of both
SELECT COUNT(*) AS n
FROM (SELECT customer_id, status FROM orders UNION ALL SELECT customer_id, channel FROM orders)
