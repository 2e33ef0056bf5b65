-- done: add FROM and one of: staff
-- asks: what was meant
SELECT COUNT(*) FROM staff
