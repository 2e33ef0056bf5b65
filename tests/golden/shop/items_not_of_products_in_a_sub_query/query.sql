SELECT COUNT(*) AS n FROM items AS i WHERE i.product_id NOT IN (SELECT p.product_id FROM products AS p)
