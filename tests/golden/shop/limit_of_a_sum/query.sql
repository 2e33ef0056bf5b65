SELECT status, COUNT(*) AS n FROM orders GROUP BY status LIMIT 1 + 1
