-- pasted: AS amount_2
SELECT COUNT(*) AS n FROM (SELECT amount, discount AS amount_2 FROM orders)
