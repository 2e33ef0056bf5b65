SELECT COUNT(*) AS n
FROM (SELECT customer_id FROM orders INTERSECT SELECT customer_id FROM reviews)
