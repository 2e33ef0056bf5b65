-- pasted: PARTITION BY city
SELECT city, floor, SUM(COUNT(*)) OVER (PARTITION BY city ORDER BY floor) AS upto FROM staff GROUP BY city, floor
