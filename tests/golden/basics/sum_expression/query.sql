SELECT SUM(age * 2 + 1) AS a, SUM(salary / 12) AS monthly, SUM(CASE WHEN smoker THEN salary ELSE 0 END) AS s FROM staff
