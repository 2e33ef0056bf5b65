SELECT DATE_TRUNC('month', sold) AS month, SUM(value) AS value
FROM (SELECT sold, amount AS value FROM till UNION ALL SELECT sold, amount FROM till WHERE amount < 10)
GROUP BY month
