-- done: BUCKETS(x, 20)
SELECT BUCKETS(age, 20) AS age, COUNT(*) AS n FROM staff GROUP BY 1
