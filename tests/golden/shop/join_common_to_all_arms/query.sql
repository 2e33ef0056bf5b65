SELECT SUM(i.quantity) AS n
FROM items AS i, products AS p
WHERE (p.product_id = i.product_id AND p.category = 'toys' AND i.quantity > 2)
   OR (i.product_id = p.product_id AND p.category = 'books' AND i.quantity > 5)
