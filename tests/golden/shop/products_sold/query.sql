SELECT COUNT(DISTINCT product_id) AS products FROM items WHERE quantity > 0
