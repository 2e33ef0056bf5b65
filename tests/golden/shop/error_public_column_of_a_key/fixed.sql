-- left out: r.country
-- asks: the same
SELECT r.name, COUNT(*) AS n
FROM customers AS c JOIN regions AS r ON c.region = r.code
GROUP BY r.name
