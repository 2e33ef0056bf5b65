SELECT BUCKETS(weight) AS kg, COUNT(*) AS n FROM cats GROUP BY kg
