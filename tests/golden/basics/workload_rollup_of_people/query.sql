SELECT region, floor, COUNT(*) AS n
FROM staff
GROUP BY ROLLUP (region, floor)
