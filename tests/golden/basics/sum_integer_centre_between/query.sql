SELECT AVG(lives + 1) AS a, AVG(CASE WHEN lives > 0 THEN 1 ELSE 0 END) AS alive FROM cats
