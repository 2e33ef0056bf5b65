SELECT r.name, SUM(i.quantity) AS n
FROM regions r, products p, customers c, orders o, items i
WHERE r.code = c.region AND p.product_id = i.product_id AND i.order_id = o.order_id
  AND o.customer_id = c.customer_id AND p.category = 'toys'
GROUP BY r.name
