-- pasted: GROUP BY city, region
-- pasted: GROUP BY city
-- done: without GROUP BY
-- asks: the same
SELECT city, region, COUNT(*) AS n FROM customers GROUP BY city, region;
SELECT city, COUNT(*) AS n FROM customers GROUP BY city;
SELECT COUNT(*) AS n FROM customers
