-- done: ask one table at a time
SELECT COUNT(*) AS n FROM visits
