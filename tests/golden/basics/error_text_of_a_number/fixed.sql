-- pasted: CAST(ROUND(salary) AS VARCHAR)
-- asks: something else: which has no decimals
SELECT COUNT(*) AS n FROM staff WHERE CAST(ROUND(salary) AS VARCHAR) LIKE '2%'
