SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups_contributed = 1) a.status, COUNT(*) AS n
FROM orders AS a
JOIN orders AS b ON a.customer_id = b.customer_id
GROUP BY a.status
