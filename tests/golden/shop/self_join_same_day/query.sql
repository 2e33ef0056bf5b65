SELECT COUNT(*) AS pairs
FROM orders AS a
JOIN orders AS b ON a.customer_id = b.customer_id AND a.status = b.status AND a.order_id < b.order_id
