SELECT colour, lives, SUM(COUNT(*)) OVER (PARTITION BY colour ORDER BY lives DESC) AS at_least
FROM cats GROUP BY colour, lives
