SELECT status, COUNT(*) AS orders, SUM(amount) AS revenue, AVG(amount) AS mean
FROM orders
GROUP BY status
ORDER BY revenue DESC
