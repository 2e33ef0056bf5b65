-- pasted: BUCKETS(age, 20)
-- asks: what was meant
SELECT BUCKETS(age, 20) AS age, COUNT(*) AS n FROM staff GROUP BY 1
