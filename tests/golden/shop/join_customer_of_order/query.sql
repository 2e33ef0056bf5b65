SELECT c.region, AVG(o.amount) AS mean
FROM orders AS o
JOIN customers AS c ON o.customer_id = c.customer_id
GROUP BY c.region
HAVING COUNT(*) > 50
