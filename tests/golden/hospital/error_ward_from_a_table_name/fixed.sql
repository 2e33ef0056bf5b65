-- pasted: days
-- asks: what was meant
SELECT COUNT(*) AS n FROM visits WHERE days > 10
