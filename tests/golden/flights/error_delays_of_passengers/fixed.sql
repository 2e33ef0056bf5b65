-- done: ask one of them
-- asks: something else: ask one of them
SELECT COUNT(*) AS n FROM delays
