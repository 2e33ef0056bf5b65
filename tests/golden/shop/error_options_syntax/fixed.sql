-- pasted: OPTIONS(epsilon=0.5, max_groups_contributed=2)
-- asks: what was meant
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=0.5, max_groups_contributed=2) COUNT(*) AS n FROM orders
