-- pasted: CLAMP(score, LOW, HIGH)
-- given: LOW = 0, HIGH = 200000
-- asks: the same
SELECT region, AVG(CLAMP(score, 0, 200000)) FROM staff GROUP BY region
