-- pasted: STRFTIME(hired, '%Y-%m-%d %H:%M:%S')
-- asks: the same
SELECT STRFTIME(hired, '%Y-%m-%d %H:%M:%S') AS month, COUNT(*) AS n FROM staff GROUP BY month
