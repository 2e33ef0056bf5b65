SELECT DATE_TRUNC('month', seen) AS month, COUNT(*) AS n FROM staff GROUP BY 1
