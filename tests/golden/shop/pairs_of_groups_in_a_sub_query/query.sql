SELECT COUNT(*) AS customers
FROM (
  SELECT g.customer_id, COUNT(*) AS n
  FROM (SELECT customer_id, status, SUM(amount) AS spent FROM orders GROUP BY customer_id, status) AS g
  JOIN orders AS o ON g.customer_id = o.customer_id AND g.status = o.status
  WHERE g.spent < 3 * o.amount
  GROUP BY g.customer_id
)
