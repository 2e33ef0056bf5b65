-- pasted: GROUP BY 1
SELECT region, COUNT(*) FROM staff GROUP BY 1
