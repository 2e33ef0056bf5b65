-- done: ask them one after the other
SELECT COUNT(*) FROM staff
