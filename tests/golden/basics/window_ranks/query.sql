SELECT region, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place, ROW_NUMBER() OVER (ORDER BY region) AS row FROM staff GROUP BY region QUALIFY place <= 2
