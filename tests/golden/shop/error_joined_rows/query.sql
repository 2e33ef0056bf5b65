SELECT COUNT(DISTINCT a.amount) AS n
FROM orders AS a
JOIN orders AS b ON a.customer_id = b.customer_id
JOIN orders AS c ON a.customer_id = c.customer_id
JOIN orders AS d ON a.customer_id = d.customer_id
