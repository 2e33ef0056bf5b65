SELECT channel, COUNT(DISTINCT customer_id) AS buyers, COUNT(*) AS orders FROM orders GROUP BY channel
