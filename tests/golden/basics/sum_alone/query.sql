SELECT SUM(weight) AS kg FROM cats
