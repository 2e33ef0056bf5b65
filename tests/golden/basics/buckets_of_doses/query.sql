SELECT BUCKETS(dose, 7) AS dose, SUM(weight) AS weight FROM clinic GROUP BY 1
