-- pasted: ORDER BY 1
SELECT status, COUNT(*) AS n FROM orders GROUP BY status ORDER BY 1
