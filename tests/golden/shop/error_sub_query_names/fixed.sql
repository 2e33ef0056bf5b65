-- pasted: AS amount_2
-- asks: the same
SELECT COUNT(*) AS n FROM (SELECT amount, discount AS amount_2 FROM orders)
