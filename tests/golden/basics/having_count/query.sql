SELECT region, COUNT(*) FROM staff GROUP BY region HAVING COUNT(*) > 10
