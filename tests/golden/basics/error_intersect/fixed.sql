-- done: ask the parts one after the other
-- asks: something else: ask the parts one after the other
SELECT COUNT(*) AS n FROM staff
