-- pasted: BUCKETS(CLAMP(FLOOR(score), LOW, HIGH))
-- given: LOW = 0, HIGH = 100
-- asks: something else: other groups
SELECT BUCKETS(CLAMP(FLOOR(score), 0, 100)), COUNT(*) FROM staff GROUP BY BUCKETS(CLAMP(FLOOR(score), 0, 100))
