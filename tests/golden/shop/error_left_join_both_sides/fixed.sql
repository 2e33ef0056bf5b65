-- left out: o.amount > c.age
-- asks: something else: which asks a different question
SELECT COUNT(*) AS n
FROM customers AS c
LEFT JOIN orders AS o ON c.customer_id = o.customer_id
