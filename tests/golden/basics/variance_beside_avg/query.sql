SELECT COUNT(weight) AS n, AVG(weight) AS kg, VARIANCE(weight) AS v FROM cats
