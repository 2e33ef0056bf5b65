SELECT COUNT(*) AS n
FROM customers AS c
JOIN products AS p ON c.region = p.product_id
