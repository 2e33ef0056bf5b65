-- done: leave one of them out
-- asks: something else: leave one of them out
SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS upto FROM staff GROUP BY floor
