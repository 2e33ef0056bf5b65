SELECT region, floor, SUM(COUNT(*)) OVER (PARTITION BY region ORDER BY floor) AS upto FROM staff GROUP BY ROLLUP (region, floor)
