SELECT c.region, AVG(CLAMP(o.total, 0, 2000)) AS spent
FROM customers AS c
LEFT JOIN (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id) AS o
  ON c.customer_id = o.customer_id
GROUP BY c.region
