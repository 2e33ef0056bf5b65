-- left out: group_selection_strategy = PUBLIC_GROUPS
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) status, COUNT(*) AS n
FROM orders
GROUP BY status
