-- pasted: ROLLUP
-- asks: something else: ask for fewer
SELECT COUNT(*) AS n
FROM staff
GROUP BY ROLLUP (region, floor, smoker)
