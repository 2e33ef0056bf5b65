-- pasted: SELECT COUNT(*) AS n FROM staff
SELECT COUNT(*) AS n FROM staff
