-- pasted: GROUP BY MONTH(seen)
SELECT MONTH(seen) AS month, COUNT(*) AS n FROM staff GROUP BY MONTH(seen)
