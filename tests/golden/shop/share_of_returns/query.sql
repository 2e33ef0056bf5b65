SELECT
  COUNT(*) AS orders,
  100.0 * COUNT(*) FILTER (WHERE status = 'returned') / COUNT(*) AS percent
FROM orders
