SELECT DATE_TRUNC('month', hired) AS month, COUNT(*) AS n FROM staff GROUP BY month
