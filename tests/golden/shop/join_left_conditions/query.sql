SELECT p.category, COUNT(*) AS n
FROM items AS i
LEFT JOIN products AS p ON i.product_id = p.product_id AND p.cost < 50 AND i.quantity > 1
GROUP BY p.category
