SELECT UPPER(region) AS region, COUNT(*) AS n, AVG(age) AS age FROM staff GROUP BY UPPER(region)
