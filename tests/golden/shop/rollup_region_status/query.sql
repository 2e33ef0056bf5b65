SELECT c.region, o.status, COUNT(*) AS orders
FROM orders AS o
JOIN customers AS c USING (customer_id)
GROUP BY ROLLUP (c.region, o.status)
