SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS upto FROM staff GROUP BY floor HAVING COUNT(*) > 10
