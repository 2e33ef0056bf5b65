SELECT status, SUM(amount) / COUNT(DISTINCT customer_id) AS per_buyer FROM orders GROUP BY status
