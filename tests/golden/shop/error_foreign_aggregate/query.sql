SELECT status, ANON_SUM(amount CLAMPED BETWEEN 0 AND 300) AS total FROM orders GROUP BY status
