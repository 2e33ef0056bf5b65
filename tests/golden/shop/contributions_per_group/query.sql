SELECT WITH DIFFERENTIAL_PRIVACY
  OPTIONS(epsilon=1, max_groups_contributed=2, privacy_unit_column=customer_id)
  status,
  SUM(amount, contribution_bounds_per_group => (0, 300)) total,
  COUNT(*, contribution_bounds_per_group => (0, 5)) orders
FROM orders
GROUP BY status
