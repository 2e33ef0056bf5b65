-- pasted: SELECT COUNT(*) AS n FROM orders
-- asks: something else: for example
SELECT COUNT(*) AS n FROM orders
