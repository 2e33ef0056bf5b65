SELECT DATE_TRUNC('decade', hired) AS decade, COUNT(*) AS n FROM staff GROUP BY decade
