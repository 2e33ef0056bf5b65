SELECT p.category, COUNT(*) AS n
FROM products AS p
LEFT JOIN items AS i ON p.product_id = i.product_id
GROUP BY p.category
