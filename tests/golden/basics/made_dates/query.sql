SELECT MAKE_DATE(YEAR(hired), MONTH(hired), 1) AS month, COUNT(*) AS n, COUNT(*) FILTER (WHERE MAKE_DATE(2020 + floor, 2, age) > hired) AS later
FROM staff
GROUP BY MAKE_DATE(YEAR(hired), MONTH(hired), 1)
