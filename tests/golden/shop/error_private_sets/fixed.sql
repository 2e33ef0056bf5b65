-- pasted: GROUP BY city
SELECT city, region, COUNT(*) AS n FROM customers GROUP BY city, region
