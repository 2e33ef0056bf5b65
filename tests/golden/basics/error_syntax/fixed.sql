-- done: write ) before it
-- asks: what was meant
SELECT COUNT(*) FROM staff
