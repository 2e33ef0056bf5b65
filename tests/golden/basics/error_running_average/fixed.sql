-- done: adds up counts
SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS a FROM staff GROUP BY floor
