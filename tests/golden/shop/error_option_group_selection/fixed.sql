-- left out: group_selection_strategy = PUBLIC_GROUPS
-- asks: something else: leave it out
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) status, COUNT(*) AS n
FROM orders
GROUP BY status
