-- done: ask one of them
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward
