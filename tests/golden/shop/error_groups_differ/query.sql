SELECT WITH DIFFERENTIAL_PRIVACY
  OPTIONS (epsilon = 1, group_selection_strategy = LAPLACE_THRESHOLD)
  status, COUNT(*) AS n
FROM orders
GROUP BY status
