SELECT WITH ANONYMIZATION OPTIONS(epsilon=1)
  ANON_AVG(amount CLAMPED BETWEEN 0 AND 300) average_amount,
  COUNT(DISTINCT customer_id) people
FROM orders
WHERE status <> 'returned'
