SELECT COUNT(*) AS n
FROM (SELECT customer_id FROM reviews UNION ALL SELECT order_id FROM orders)
