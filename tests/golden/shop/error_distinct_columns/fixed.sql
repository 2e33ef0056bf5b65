-- pasted: SELECT COUNT(*) AS n FROM (SELECT DISTINCT customer_id, status FROM orders WHERE amount > 10)
-- asks: the same
SELECT COUNT(*) AS n FROM (SELECT DISTINCT customer_id, status FROM orders WHERE amount > 10)
