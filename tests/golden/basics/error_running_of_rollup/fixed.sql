-- pasted: GROUP BY region, floor
-- asks: something else: without totals
SELECT region, floor, SUM(COUNT(*)) OVER (PARTITION BY region ORDER BY floor) AS upto FROM staff GROUP BY region, floor
