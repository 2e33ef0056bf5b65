-- pasted: BUCKETS(CLAMP(score, 0, 100))
SELECT BUCKETS(CLAMP(score, 0, 100)) AS score, COUNT(*) AS n FROM staff GROUP BY 1
