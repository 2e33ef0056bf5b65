-- pasted: SELECT status, SUM(amount) AS total FROM orders GROUP BY status
-- done: compute the rest from its answer
-- asks: the same
SELECT status, SUM(amount) AS total FROM orders GROUP BY status
