-- pasted: SUBSTRING(name, 1, 3)
-- asks: something else: with numbers of your own
SELECT COUNT(*) AS n FROM staff WHERE SUBSTRING(name, 1, 3) = 'x'
