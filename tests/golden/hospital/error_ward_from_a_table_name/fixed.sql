-- pasted: days
SELECT COUNT(*) AS n FROM visits WHERE days > 10
