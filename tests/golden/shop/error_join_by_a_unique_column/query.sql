SELECT COUNT(*) AS n
FROM orders AS o
JOIN reviews AS r ON o.order_id = r.product_id
