SELECT COUNT(*) AS n
FROM (SELECT customer_id, status FROM orders INTERSECT SELECT customer_id, channel FROM orders)
