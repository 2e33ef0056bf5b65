SELECT o.status, SUM(i.price * i.quantity) AS revenue
FROM items AS i
JOIN orders AS o USING (order_id)
GROUP BY o.status
