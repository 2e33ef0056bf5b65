-- done: ORDER BY a number or a date that is grouped by
SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS upto FROM staff GROUP BY floor
