SELECT BUCKETS(hired) AS hired, COUNT(*) AS n FROM staff GROUP BY 1
