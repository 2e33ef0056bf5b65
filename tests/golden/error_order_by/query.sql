SELECT region, COUNT(*) AS n FROM staff GROUP BY region ORDER BY n
