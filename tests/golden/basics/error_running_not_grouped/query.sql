SELECT region, SUM(COUNT(*)) OVER (PARTITION BY region ORDER BY floor) AS upto FROM staff GROUP BY region
