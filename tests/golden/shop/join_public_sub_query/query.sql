WITH cheap AS (SELECT product_id, category FROM products WHERE cost < 10)
SELECT category, COUNT(*) AS n
FROM items LEFT JOIN cheap USING (product_id)
GROUP BY category
