SELECT BUCKETS(age) AS age, COUNT(*) AS n,
       SUM(COUNT(*)) OVER (ORDER BY BUCKETS(age)) AS upto,
       SUM(COUNT(*)) OVER (ORDER BY BUCKETS(age)) / SUM(COUNT(*)) OVER () AS share
FROM staff GROUP BY BUCKETS(age)
