-- done: leave amount out
-- left out: ORDER BY amount
-- asks: what was meant
SELECT status, COUNT(*) AS n FROM orders GROUP BY status
