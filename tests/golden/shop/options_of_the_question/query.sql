SELECT WITH DIFFERENTIAL_PRIVACY
  OPTIONS (epsilon = 1, privacy_unit_column = customer_id, max_groups_contributed = 2, max_rows_contributed = 6)
  status, COUNT(*) AS orders
FROM orders
GROUP BY status
