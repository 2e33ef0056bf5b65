SELECT COUNT(*) FILTER (WHERE colour = 'orange') AS orange,
       COUNT(*) FILTER (WHERE colour = 'blue') AS blue
FROM cats
