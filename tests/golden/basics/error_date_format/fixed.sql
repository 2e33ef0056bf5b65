-- pasted: STRFTIME(hired, '%Y-%m')
-- asks: something else: of at most 20 codes
SELECT STRFTIME(hired, '%Y-%m') AS month, COUNT(*) AS n FROM staff GROUP BY month
