SELECT r.name, r.country, COUNT(*) AS n
FROM customers AS c JOIN regions AS r ON c.region = r.code
GROUP BY r.name
