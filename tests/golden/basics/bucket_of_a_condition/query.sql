SELECT COUNT(*) AS n, AVG(BUCKETS(age, 5)) AS roughly FROM staff WHERE BUCKETS(age) = 30
