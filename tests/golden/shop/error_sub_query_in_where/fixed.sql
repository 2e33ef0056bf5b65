-- pasted: customer_id IN (SELECT customer_id FROM
SELECT COUNT(*) AS n
FROM customers
WHERE customer_id IN (SELECT customer_id FROM customers WHERE age > 90)
