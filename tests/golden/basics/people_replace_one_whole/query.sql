SELECT COUNT(*) AS n, SUM(amount) AS total FROM orders
