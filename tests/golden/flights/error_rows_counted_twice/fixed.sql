-- pasted: FROM delays
-- asks: something else: once
SELECT place, COUNT(*) AS n
FROM delays
WHERE minutes > 60 OR minutes > 120
GROUP BY place
