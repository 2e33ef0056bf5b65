SELECT c.region, COUNT(*) AS n
FROM customers AS c
SEMI JOIN orders AS o ON c.customer_id = o.customer_id AND o.amount > 100
GROUP BY c.region
