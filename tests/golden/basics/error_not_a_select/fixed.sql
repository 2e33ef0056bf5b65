-- pasted: SELECT COUNT(*) AS n FROM staff
-- asks: what was meant
SELECT COUNT(*) AS n FROM staff
