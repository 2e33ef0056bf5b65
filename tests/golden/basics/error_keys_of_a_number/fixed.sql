-- pasted: BUCKETS(salary)
-- asks: something else: other groups
SELECT BUCKETS(salary), COUNT(*) AS n FROM staff GROUP BY BUCKETS(salary)
