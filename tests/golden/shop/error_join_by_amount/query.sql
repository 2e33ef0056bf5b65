SELECT COUNT(*) AS n
FROM orders AS a
JOIN orders AS b ON a.amount = b.amount
