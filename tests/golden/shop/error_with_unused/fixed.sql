-- left out: WITH big AS (SELECT * FROM orders WHERE amount > 400)
-- asks: the same
SELECT COUNT(*) AS n FROM orders
