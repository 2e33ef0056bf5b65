SELECT COUNT(*) AS n
FROM (SELECT customer_id FROM orders UNION SELECT customer_id FROM reviews)
