SELECT i.product_id, o.status, COUNT(*) AS n
FROM items AS i
JOIN orders AS o ON i.order_id = o.order_id
GROUP BY i.product_id, o.status
