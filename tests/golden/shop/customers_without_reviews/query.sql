SELECT COUNT(*) AS n
FROM (SELECT customer_id FROM orders EXCEPT SELECT customer_id FROM reviews)
