SELECT region, AVG(score) FROM staff GROUP BY region
