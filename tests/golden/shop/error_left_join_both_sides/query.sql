SELECT COUNT(*) AS n
FROM customers AS c
LEFT JOIN orders AS o ON c.customer_id = o.customer_id AND o.amount > c.age
