-- done: ask one table at a time
-- asks: something else: one table at a time
SELECT COUNT(*) AS n FROM visits
