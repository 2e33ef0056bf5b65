-- pasted: CLAMP(salary / score, LOW, HIGH)
-- given: LOW = 0, HIGH = 5000
-- asks: the same
SELECT AVG(CLAMP(salary / score, 0, 5000)) AS q FROM staff
