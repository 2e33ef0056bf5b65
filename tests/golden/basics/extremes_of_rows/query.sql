SELECT MIN(lives) AS least, MAX(lives) AS most, MAX(lives) - MIN(lives) AS wide FROM cats
