SELECT STRFTIME(hired, '%c') AS month, COUNT(*) AS n FROM staff GROUP BY month
