SELECT FLOOR(age / 10) * 10 AS decade, AVG(newsletter) AS share FROM customers GROUP BY decade
