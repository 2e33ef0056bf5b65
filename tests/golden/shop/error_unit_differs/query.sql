SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (privacy_unit_column = order_id) COUNT(*) AS n FROM orders
