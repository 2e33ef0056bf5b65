SELECT COUNT(*) AS n FROM (SELECT amount, discount AS amount FROM orders)
