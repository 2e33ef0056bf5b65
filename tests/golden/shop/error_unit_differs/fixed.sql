-- left out: privacy_unit_column
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS () COUNT(*) AS n FROM orders
