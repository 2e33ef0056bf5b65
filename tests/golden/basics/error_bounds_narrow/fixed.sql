-- pasted: (CLAMP(score, 0, 1e-320)) * 1e300
-- asks: something else: in a smaller unit of measure
SELECT VAR_POP((CLAMP(score, 0, 1e-320)) * 1e300) AS v FROM staff
