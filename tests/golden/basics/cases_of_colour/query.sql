SELECT COUNT(CASE WHEN colour = 'orange' THEN 1 END) AS orange,
       SUM(CASE WHEN colour = 'blue' THEN 1 ELSE 0 END) AS blue,
       COUNT(*) FILTER (WHERE colour = 'black') AS black
FROM cats
