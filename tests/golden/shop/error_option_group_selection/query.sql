SELECT WITH DIFFERENTIAL_PRIVACY
  OPTIONS (epsilon = 1, group_selection_strategy = PUBLIC_GROUPS)
  status, COUNT(*) AS n
FROM orders
GROUP BY status
