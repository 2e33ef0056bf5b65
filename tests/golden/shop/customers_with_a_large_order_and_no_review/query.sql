SELECT COUNT(*) AS n
FROM customers AS c
WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id AND o.amount > 100)
  AND NOT EXISTS (SELECT * FROM reviews AS r WHERE r.customer_id = c.customer_id)
