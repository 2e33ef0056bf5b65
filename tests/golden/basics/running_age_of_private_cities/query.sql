SELECT city, BUCKETS(age, 5) AS years, SUM(COUNT(*)) OVER (PARTITION BY city ORDER BY years) AS upto
FROM staff GROUP BY city, years
