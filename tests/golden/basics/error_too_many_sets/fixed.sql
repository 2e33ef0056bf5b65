-- pasted: ROLLUP
SELECT COUNT(*) AS n
FROM staff
GROUP BY ROLLUP (region, floor, smoker)
