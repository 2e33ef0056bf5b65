SELECT region, smoker, COUNT(*) AS n FROM staff GROUP BY region, smoker
