-- pasted: SELECT city, COUNT(*) AS n FROM staff GROUP BY city ORDER BY n DESC LIMIT 1
-- asks: the same
SELECT city, COUNT(*) AS n FROM staff GROUP BY city ORDER BY n DESC LIMIT 1
