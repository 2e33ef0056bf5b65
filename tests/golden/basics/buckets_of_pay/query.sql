SELECT region, BUCKETS(salary, 10) AS pay, COUNT(*) AS n, AVG(age) AS age FROM staff GROUP BY region, pay
