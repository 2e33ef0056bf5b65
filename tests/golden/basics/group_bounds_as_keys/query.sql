SELECT lives, COUNT(*) AS n FROM cats GROUP BY lives
