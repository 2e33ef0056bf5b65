-- pasted: FLOOR(YEAR(hired) / 10) * 10
-- asks: the same
SELECT FLOOR(YEAR(hired) / 10) * 10 AS decade, COUNT(*) AS n FROM staff GROUP BY decade
