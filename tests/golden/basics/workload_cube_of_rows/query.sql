SELECT colour, lives, COUNT(*) AS n
FROM cats
GROUP BY CUBE (colour, lives)
