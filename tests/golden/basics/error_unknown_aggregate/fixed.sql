-- pasted: COUNT
SELECT COUNT(region) FROM staff
