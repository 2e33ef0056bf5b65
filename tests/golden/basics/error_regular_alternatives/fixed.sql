-- pasted: name LIKE 'An%' OR name LIKE 'Bo%'
-- asks: the same
SELECT COUNT(*) AS n FROM staff WHERE name LIKE 'An%' OR name LIKE 'Bo%'
