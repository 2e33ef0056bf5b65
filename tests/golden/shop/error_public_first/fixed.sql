-- pasted: FROM items LEFT JOIN products ON
-- asks: something else: which keeps the rows of items
SELECT category, COUNT(*) AS n
FROM items LEFT JOIN products ON items.product_id = products.product_id
GROUP BY category
