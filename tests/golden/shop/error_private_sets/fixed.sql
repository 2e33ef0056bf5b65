-- pasted: GROUP BY city, region
-- asks: something else: each grouping by itself
SELECT city, region, COUNT(*) AS n FROM customers GROUP BY city, region
