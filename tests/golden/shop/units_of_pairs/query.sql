SELECT COUNT(DISTINCT a.customer_id) AS customers
FROM orders AS a JOIN orders AS b ON a.customer_id = b.customer_id
WHERE a.status = 'returned' AND b.status = 'sent' AND a.placed < b.placed
