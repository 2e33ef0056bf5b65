SELECT r.country, COUNT(*) AS n
FROM regions AS r
RIGHT JOIN customers AS c ON r.code = c.region
GROUP BY r.country
