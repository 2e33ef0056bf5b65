-- left out: privacy_unit_column
-- asks: the same
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS () COUNT(*) AS n FROM orders
