-- pasted: FROM staff
SELECT COUNT(*) FROM staff
