SELECT city, floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS upto FROM staff GROUP BY city, floor
