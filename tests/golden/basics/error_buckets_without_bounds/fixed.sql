-- pasted: BUCKETS(CLAMP(score, LOW, HIGH))
-- given: LOW = 0, HIGH = 100
-- asks: the same
SELECT BUCKETS(CLAMP(score, 0, 100)) AS score, COUNT(*) AS n FROM staff GROUP BY 1
