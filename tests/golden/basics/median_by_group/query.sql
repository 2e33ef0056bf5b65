SELECT colour, MEDIAN(weight) AS m, COUNT(*) AS n FROM cats GROUP BY colour
