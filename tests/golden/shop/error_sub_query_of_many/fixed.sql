-- pasted: GROUP BY customer_id
-- asks: something else: one row for each customer_id
SELECT AVG(CLAMP(total, 0, 2000)) AS mean
FROM (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id)
