SELECT FLOOR(age / 10) AS decade, COUNT(*) AS n FROM staff GROUP BY 1
