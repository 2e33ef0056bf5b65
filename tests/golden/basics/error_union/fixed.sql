-- done: ask the parts one after the other
-- asks: something else: one after the other
SELECT COUNT(*) FROM staff
