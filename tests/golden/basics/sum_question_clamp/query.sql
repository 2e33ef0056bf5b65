SELECT SUM(CLAMP(score, 0, 10)) AS s, SUM(CLAMP(salary, 0, 100000)) AS pay FROM staff
