-- pasted: COUNT
-- asks: something else: one of
SELECT COUNT(region) FROM staff
