-- pasted: SELECT COUNT(*) FROM staff
-- pasted: SELECT COUNT(*) FROM cats
-- asks: the same
SELECT COUNT(*) FROM staff;
SELECT COUNT(*) FROM cats
