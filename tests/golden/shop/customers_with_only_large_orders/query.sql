SELECT COUNT(*) AS n
FROM (
  SELECT customer_id, BOOL_AND(amount > 100) AS large, BOOL_OR(status = 'returned') AS any_returned
  FROM orders
  GROUP BY customer_id
)
WHERE large AND NOT any_returned
