-- pasted: SELECT COUNT(*) AS n FROM staff
-- asks: something else: for example
SELECT COUNT(*) AS n FROM staff
