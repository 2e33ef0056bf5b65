-- pasted: VAR_POP((CLAMP(score, 0, 1e-320)) * 1e300) / 1e300 / 1e300
-- asks: the same
SELECT VAR_POP((CLAMP(score, 0, 1e-320)) * 1e300) / 1e300 / 1e300 AS v FROM staff
