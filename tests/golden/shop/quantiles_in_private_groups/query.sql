SELECT city, MEDIAN(age) AS m, COUNT(*) AS n FROM customers GROUP BY city
