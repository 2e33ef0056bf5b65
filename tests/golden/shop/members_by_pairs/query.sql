SELECT region, COUNT(*) AS customers
FROM customers
WHERE customer_id IN (
  SELECT o.customer_id FROM orders AS o JOIN reviews AS r ON o.customer_id = r.customer_id WHERE r.stars = 1 AND o.amount > 400
)
GROUP BY region
