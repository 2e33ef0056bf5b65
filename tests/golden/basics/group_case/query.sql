SELECT CASE WHEN weight >= 4 THEN 'heavy' WHEN weight < 4 THEN 'light' END AS size, COUNT(*) AS n
FROM cats
GROUP BY size
