SELECT COUNT(*) AS n
FROM staff
GROUP BY CUBE (region, age, hired, smoker, floor, FLOOR(age / 10), MONTH(hired))
