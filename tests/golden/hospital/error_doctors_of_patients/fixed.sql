-- done: ask one of them
-- asks: something else: ask one of them
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward
