SELECT COUNT(*) AS n
FROM orders AS o, customers AS c
