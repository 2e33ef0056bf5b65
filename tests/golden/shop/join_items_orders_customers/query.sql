SELECT c.region, COUNT(DISTINCT c.customer_id) AS buyers
FROM items AS i
JOIN orders AS o ON i.order_id = o.order_id
JOIN customers AS c ON o.customer_id = c.customer_id
WHERE i.returned
GROUP BY c.region
