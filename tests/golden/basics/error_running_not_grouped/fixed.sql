-- done: GROUP BY it
-- asks: what was meant
SELECT region, floor, SUM(COUNT(*)) OVER (PARTITION BY region ORDER BY floor) AS upto FROM staff GROUP BY region, floor
