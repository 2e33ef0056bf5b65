-- pasted: year
SELECT DATE_TRUNC('year', hired) AS year, COUNT(*) AS n FROM staff GROUP BY year
