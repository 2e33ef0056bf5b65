-- pasted: COUNT(DISTINCT region)
-- asks: something else: which counts the values
SELECT COUNT(DISTINCT region) FROM staff
