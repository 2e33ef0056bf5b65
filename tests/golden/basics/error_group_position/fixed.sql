-- pasted: GROUP BY 1
-- asks: what was meant
SELECT region, COUNT(*) FROM staff GROUP BY 1
