SELECT COUNT(*) AS n, SUM(CLAMP(value, -500, 500)) AS value
FROM (
  SELECT customer_id, amount AS value FROM orders WHERE status = 'sent'
  UNION ALL
  SELECT customer_id, -amount FROM orders WHERE status = 'returned'
) AS flow
