-- pasted: CLAMP(score, 0, 200000)
SELECT region, AVG(CLAMP(score, 0, 200000)) FROM staff GROUP BY region
