-- left out: epsilon = 2
-- asks: what was meant
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) COUNT(*) AS n FROM orders
