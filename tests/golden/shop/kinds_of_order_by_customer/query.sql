SELECT AVG(CLAMP(kinds, 0, 3)) AS kinds
FROM (SELECT customer_id, COUNT(DISTINCT status) AS kinds FROM orders GROUP BY customer_id)
