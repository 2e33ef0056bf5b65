SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1, delta = 1e-7, max_groups_contributed = 1)
  coupon, COUNT(*) AS orders
FROM orders
GROUP BY coupon
