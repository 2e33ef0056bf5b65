SELECT region, COUNT(*) FROM staff GROUP BY 3
