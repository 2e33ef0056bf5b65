SELECT colour, COUNT(*) AS n, SUM(lives) AS lives FROM cats GROUP BY colour
