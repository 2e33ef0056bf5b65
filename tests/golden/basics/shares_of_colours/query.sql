SELECT AVG(CASE WHEN colour = 'orange' THEN 1 ELSE 0 END) AS orange,
       AVG(CASE WHEN colour = 'blue' THEN 1 ELSE 0 END) AS blue,
       AVG(CASE WHEN colour = 'black' THEN 1 ELSE 0 END) AS black
FROM cats
