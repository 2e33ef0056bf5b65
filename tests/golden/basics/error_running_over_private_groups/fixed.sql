-- pasted: PARTITION BY city
-- asks: something else: which adds up within each
SELECT city, floor, SUM(COUNT(*)) OVER (PARTITION BY city ORDER BY floor) AS upto FROM staff GROUP BY city, floor
