-- left out: max_groups_contributed
-- asks: the same
SELECT a.status, COUNT(*) AS n
FROM orders AS a
JOIN orders AS b ON a.customer_id = b.customer_id
GROUP BY a.status
