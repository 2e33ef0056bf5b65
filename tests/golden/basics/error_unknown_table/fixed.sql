-- pasted: FROM staff
-- asks: what was meant
SELECT COUNT(*) FROM staff
