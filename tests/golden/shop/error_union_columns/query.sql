SELECT COUNT(*) AS n
FROM (SELECT customer_id, amount FROM orders UNION ALL SELECT customer_id FROM orders)
