SELECT city, CASE WHEN city = 'Oslo' THEN 'capital' ELSE 'rest' END AS kind, COUNT(*) AS n, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS share FROM staff GROUP BY city
