SELECT STRFTIME(hired, '%Y-%m') AS month, COUNT(*) AS n FROM staff GROUP BY month
