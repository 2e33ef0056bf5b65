SELECT coupon, COUNT(*) AS n
FROM (
  SELECT customer_id, coupon FROM orders GROUP BY customer_id, coupon
  UNION ALL
  SELECT customer_id, coupon FROM orders
)
GROUP BY coupon
