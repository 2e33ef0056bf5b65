SELECT COUNT(amount) AS n, COUNT(rest) AS rest
FROM (
  SELECT customer_id, amount, CAST(NULL AS DOUBLE) AS rest FROM orders
  UNION ALL
  SELECT customer_id, NULL::DOUBLE, discount FROM orders
)
