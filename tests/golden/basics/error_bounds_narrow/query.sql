SELECT VAR_POP(CLAMP(score, 0, 1e-320)) AS v FROM staff
