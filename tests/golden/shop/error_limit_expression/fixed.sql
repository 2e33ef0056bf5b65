-- pasted: LIMIT 10
SELECT status, COUNT(*) AS n FROM orders GROUP BY status LIMIT 10
