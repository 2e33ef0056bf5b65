SELECT MEDIAN(CLAMP(total, 0, 5000)) AS m FROM (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id)
