SELECT seen, COUNT(*) AS n FROM staff GROUP BY seen
