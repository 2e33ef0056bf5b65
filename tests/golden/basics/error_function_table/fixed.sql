-- pasted: staff
SELECT COUNT(*) FROM staff
