-- pasted: GROUP BY region
-- asks: what was meant
SELECT region, COUNT(*) AS n FROM staff GROUP BY region
