SELECT BUCKETS(score) AS score, COUNT(*) AS n FROM staff GROUP BY 1
