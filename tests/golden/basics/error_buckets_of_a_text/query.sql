SELECT BUCKETS(region) AS region, COUNT(*) AS n FROM staff GROUP BY 1
