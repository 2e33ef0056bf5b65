-- pasted: COUNT(DISTINCT amount)
-- asks: something else: which counts the values
SELECT COUNT(DISTINCT amount) AS n FROM orders
