-- pasted: FLOOR(CLAMP(score, LOW, HIGH))
-- given: LOW = 0, HIGH = 100
-- asks: the same
SELECT FLOOR(CLAMP(score, 0, 100)), COUNT(*) FROM staff GROUP BY 1
