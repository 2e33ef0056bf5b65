SELECT WITH ANONYMIZATION OPTIONS(kappa=1, group_selection_strategy=LAPLACE_THRESHOLD)
  coupon, ANON_SUM(amount CLAMPED BETWEEN 0 AND 300) total
FROM orders
GROUP BY coupon
