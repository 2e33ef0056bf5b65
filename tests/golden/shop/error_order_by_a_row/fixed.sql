-- pasted: SELECT COUNT(*) AS n FROM orders
SELECT COUNT(*) AS n FROM orders
