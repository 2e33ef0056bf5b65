-- left out: group_selection_strategy = LAPLACE_THRESHOLD
-- asks: the same
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) status, COUNT(*) AS n
FROM orders
GROUP BY status
