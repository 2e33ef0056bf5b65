SELECT ISODOW(placed) AS weekday, status, COUNT(*) AS orders FROM orders GROUP BY ALL
