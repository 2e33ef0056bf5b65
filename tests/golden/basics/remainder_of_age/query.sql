SELECT age % 10 AS digit, COUNT(*) AS n
FROM staff
WHERE MOD(floor, 2) = 1 AND (age + 3) // 7 > 2
GROUP BY age % 10
