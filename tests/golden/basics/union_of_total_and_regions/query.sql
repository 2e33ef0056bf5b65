WITH adults AS (SELECT * FROM staff WHERE age >= 18)
SELECT region, floor, COUNT(*) AS n FROM adults GROUP BY ROLLUP (region), floor
UNION ALL
SELECT region, floor, COUNT(*) FROM adults GROUP BY region, floor
LIMIT 20
