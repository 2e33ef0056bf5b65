-- pasted: days
-- asks: something else: take a column of this question
SELECT COUNT(*) AS n FROM visits WHERE days > 10
