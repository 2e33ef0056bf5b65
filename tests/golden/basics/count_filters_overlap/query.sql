SELECT COUNT(*) FILTER (WHERE colour = 'orange') AS orange,
       COUNT(*) FILTER (WHERE weight > 4.5) AS heavy
FROM cats
