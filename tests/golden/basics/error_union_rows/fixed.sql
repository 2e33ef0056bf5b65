-- pasted: SELECT COUNT(*) AS n FROM staff
-- pasted: SELECT COUNT(*) FROM cats
-- asks: the same
SELECT COUNT(*) AS n FROM staff;
SELECT COUNT(*) FROM cats
