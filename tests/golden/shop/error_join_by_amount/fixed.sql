-- pasted: ON a.amount = b.amount AND a.customer_id = b.customer_id
-- asks: something else: this counts only pairs of one person
SELECT COUNT(*) AS n
FROM orders AS a
JOIN orders AS b ON a.amount = b.amount AND a.customer_id = b.customer_id
