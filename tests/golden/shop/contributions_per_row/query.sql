SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, group_selection_strategy=PUBLIC_GROUPS)
  status,
  VAR_POP(amount, contribution_bounds_per_row => (0, 300)) variance,
  PERCENTILE_CONT(amount, 0.5, contribution_bounds_per_row => (0, 300)) middle
FROM orders
GROUP BY status
