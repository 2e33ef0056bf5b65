-- pasted: MAX(status)
-- asks: what was meant
SELECT COUNT(*) AS n
FROM (SELECT customer_id, MAX(status) AS status, COUNT(*) AS orders FROM orders GROUP BY customer_id)
WHERE orders > 3
