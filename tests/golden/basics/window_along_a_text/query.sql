SELECT region, SUM(COUNT(*)) OVER (ORDER BY region) AS upto FROM staff GROUP BY region
