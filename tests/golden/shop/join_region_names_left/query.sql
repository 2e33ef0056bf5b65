SELECT COUNT(*) AS customers, COUNT(r.name) AS placed
FROM customers AS c
LEFT JOIN regions AS r ON c.region = r.code
