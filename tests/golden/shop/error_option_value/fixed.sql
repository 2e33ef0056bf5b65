-- pasted: max_rows_contributed=3
-- asks: what was meant
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_rows_contributed=3) COUNT(*) AS n FROM orders
