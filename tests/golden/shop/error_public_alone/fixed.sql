-- pasted: JOIN products ON
-- asks: something else: join it to a private table
SELECT category, COUNT(*) AS n
FROM items JOIN products ON items.product_id = products.product_id
GROUP BY category
