SELECT DATE_TRUNC('month', placed) AS month, COUNT(*) AS orders
FROM orders
GROUP BY month
ORDER BY month
LIMIT 12 OFFSET 12
