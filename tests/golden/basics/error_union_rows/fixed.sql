-- pasted: SELECT COUNT(*) AS n FROM staff
-- left out: UNION ALL SELECT COUNT(*) FROM cats
-- asks: something else: ask the parts one after the other
SELECT COUNT(*) AS n FROM staff
