SELECT c.region, COUNT(o.amount) AS n, COUNT(*) AS rows_in_all
FROM customers AS c
LEFT JOIN orders AS o ON c.customer_id = o.customer_id AND o.amount > 100 AND c.age >= 30
GROUP BY c.region
