SELECT floor, COUNT(*) AS n FROM staff GROUP BY floor
