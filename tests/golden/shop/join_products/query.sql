SELECT p.category, SUM(i.quantity) AS pieces
FROM items AS i
JOIN products AS p ON i.product_id = p.product_id
GROUP BY p.category
