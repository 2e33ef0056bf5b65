SELECT AVG(total) AS mean
FROM (SELECT status, SUM(amount) AS total FROM orders GROUP BY status)
