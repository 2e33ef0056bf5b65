-- pasted: GROUP BY region
SELECT region, COUNT(*) AS n FROM staff GROUP BY region
