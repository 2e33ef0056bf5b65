-- pasted: customer_id IN (SELECT customer_id FROM
-- asks: something else: which asks for rows of those people
SELECT COUNT(*) AS n
FROM customers
WHERE customer_id IN (SELECT customer_id FROM customers WHERE age > 90)
