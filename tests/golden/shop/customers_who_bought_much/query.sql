SELECT COUNT(*) AS customers
FROM customers
WHERE customer_id IN (SELECT customer_id FROM orders WHERE amount > 400)
