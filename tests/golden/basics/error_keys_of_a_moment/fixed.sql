-- pasted: MONTH(seen)
-- asks: something else: other groups
SELECT MONTH(seen), COUNT(*) AS n FROM staff GROUP BY MONTH(seen)
