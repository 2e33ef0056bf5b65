SELECT COUNT(*) AS n
FROM customers AS c
JOIN till AS t ON c.customer_id = t.product
