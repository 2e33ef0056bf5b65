SELECT r.name, COUNT(*) AS customers
FROM customers AS c
JOIN regions AS r ON c.region = r.code
GROUP BY r.name
ORDER BY customers DESC
LIMIT 2
