SELECT p.region, SUM(p.list_price) AS listed, COUNT(*) AS n
FROM items AS i
JOIN orders AS o ON i.order_id = o.order_id
JOIN customers AS c ON o.customer_id = c.customer_id
JOIN prices AS p ON p.product_id = i.product_id AND p.region = c.region
GROUP BY p.region
