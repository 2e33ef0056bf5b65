SELECT DAYNAME(admitted) AS weekday, COUNT(*) AS n, AVG(days) AS days FROM visits GROUP BY DAYNAME(admitted) ORDER BY n DESC
