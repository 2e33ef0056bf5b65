-- pasted: LIKE 'A%'
-- asks: the same
SELECT COUNT(*) FROM staff WHERE name LIKE 'A%'
