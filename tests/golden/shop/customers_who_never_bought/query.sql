SELECT region, COUNT(*) AS customers
FROM customers
WHERE customer_id NOT IN (SELECT customer_id FROM orders) AND newsletter
GROUP BY region
