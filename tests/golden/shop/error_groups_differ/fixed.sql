-- left out: group_selection_strategy = LAPLACE_THRESHOLD
-- asks: something else: leave group_selection_strategy out
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) status, COUNT(*) AS n
FROM orders
GROUP BY status
