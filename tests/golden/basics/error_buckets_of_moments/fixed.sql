-- pasted: YEAR(seen)
SELECT YEAR(seen) AS seen, COUNT(*) AS n FROM staff GROUP BY 1
