-- done: ask them one after the other
-- asks: something else: one after the other
SELECT COUNT(*) FROM staff
