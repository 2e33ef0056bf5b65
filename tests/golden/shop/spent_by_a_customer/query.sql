SELECT AVG(CLAMP(total, 0, 2000)) AS spent
FROM (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id)
