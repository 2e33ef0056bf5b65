-- pasted: epsilon
-- asks: what was meant
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) COUNT(*) AS n FROM orders
