SELECT COUNT(*) AS n FROM staff GROUP BY region
