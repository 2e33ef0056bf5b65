-- pasted: ORDER BY 1
-- asks: what was meant
SELECT status, COUNT(*) AS n FROM orders GROUP BY status ORDER BY 1
