SELECT city, region, COUNT(*) AS n FROM customers GROUP BY ROLLUP (city, region)
