-- pasted: LIMIT 10
-- asks: something else: such as
SELECT status, COUNT(*) AS n FROM orders GROUP BY status LIMIT 10
