SELECT COUNT(*) AS n
FROM customers AS c
JOIN regions AS r ON c.region = r.country
