-- pasted: SUM(CLAMP(amount, 0, 300))
-- asks: something else: may ask something else
SELECT status, SUM(CLAMP(amount, 0, 300)) AS total FROM orders GROUP BY status
