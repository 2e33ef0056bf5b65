-- pasted: DATE_TRUNC('year', hired)
-- asks: something else: or another of
SELECT DATE_TRUNC('year', hired) AS decade, COUNT(*) AS n FROM staff GROUP BY decade
