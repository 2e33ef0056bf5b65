SELECT channel, COUNT(DISTINCT customer_id) AS buyers FROM orders GROUP BY channel
