-- pasted: AVG
-- asks: something else: one of
SELECT AVG(CLAMP(m, 0, 500)) AS m
FROM (SELECT customer_id, AVG(amount) AS m FROM orders GROUP BY customer_id)
