SELECT SUM(NULLIF(age, 18)) AS a, SUM(CLAMP(COALESCE(age, floor, 0), 0, 120)) AS b, SUM(SIGN(score)) AS c, SUM(IFF(smoker, age, 0)) AS d,
  SUM(CLAMP(TRUNC(score), -5, 5)) AS e
FROM staff
