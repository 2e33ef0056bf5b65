SELECT COUNT(DISTINCT customer_id, status) AS n FROM orders WHERE amount > 10
