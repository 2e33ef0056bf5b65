-- pasted: SUM(CLAMP(amount, 0, 300))
SELECT status, SUM(CLAMP(amount, 0, 300)) AS total FROM orders GROUP BY status
