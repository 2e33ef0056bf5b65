SELECT floor, AVG(COUNT(*)) OVER (ORDER BY floor) AS a FROM staff GROUP BY floor
