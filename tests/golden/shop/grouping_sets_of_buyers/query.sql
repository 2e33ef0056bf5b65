SELECT status, channel, COUNT(DISTINCT customer_id) AS buyers
FROM orders
GROUP BY GROUPING SETS ((status), (channel), ())
