SELECT COUNT(*) AS customers
FROM (
  SELECT c.customer_id, COUNT(*) AS n
  FROM customers AS c JOIN orders AS o ON c.customer_id = o.customer_id
  WHERE c.newsletter
  GROUP BY c.customer_id
  HAVING COUNT(*) >= 25
)
