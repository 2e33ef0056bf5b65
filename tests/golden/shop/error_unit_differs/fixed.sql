-- left out: privacy_unit_column
-- asks: something else: leave privacy_unit_column out
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS () COUNT(*) AS n FROM orders
