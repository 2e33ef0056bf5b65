-- pasted: SUM(CLAMP(amount, 0, 300))
-- asks: something else: which bounds each row's value instead
SELECT MONTH(placed) AS month, SUM(CLAMP(amount, 0, 300)) AS total FROM orders GROUP BY 1
