SELECT r.country, SUM(o.amount) AS revenue
FROM orders AS o
JOIN customers AS c USING (customer_id)
JOIN regions AS r ON r.code = c.region
WHERE c.age >= 30
GROUP BY r.country
