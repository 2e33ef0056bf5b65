-- pasted: staff
-- asks: something else: one of
SELECT COUNT(*) FROM staff
