SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1, max_rows_contributed = 3) AVG(amount) AS mean
FROM orders
WHERE status = 'sent'
