-- done: ask the parts one after the other
SELECT COUNT(*) FROM staff
