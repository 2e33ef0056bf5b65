-- pasted: GROUP BY CASE WHEN name = 'a' THEN 'a' ELSE 'other' END
SELECT CASE WHEN name = 'a' THEN 'a' ELSE 'other' END AS called, COUNT(*) FROM staff
GROUP BY CASE WHEN name = 'a' THEN 'a' ELSE 'other' END
