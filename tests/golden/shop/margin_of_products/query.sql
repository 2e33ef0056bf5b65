SELECT SUM(i.quantity * (i.price - p.cost)) AS margin
FROM items AS i
LEFT JOIN products AS p USING (product_id)
WHERE p.maker IS NOT NULL
