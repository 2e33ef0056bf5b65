SELECT SUM(quantity) AS n FROM items WHERE product_id IN (SELECT product_id FROM products WHERE category = 'books') AND quantity > 1
