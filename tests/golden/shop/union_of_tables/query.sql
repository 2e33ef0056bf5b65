SELECT COUNT(DISTINCT customer_id) AS active
FROM (SELECT customer_id FROM orders UNION ALL SELECT customer_id FROM reviews)
