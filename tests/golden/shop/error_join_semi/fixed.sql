-- pasted: FROM customers AS c WHERE EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id AND o.amount > 100)
-- asks: the same
SELECT c.region, COUNT(*) AS n
FROM customers AS c WHERE EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id AND o.amount > 100)
GROUP BY c.region
