-- done: ORDER BY a number or a date that is grouped by
-- asks: something else: a number or a date
SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS upto FROM staff GROUP BY floor
