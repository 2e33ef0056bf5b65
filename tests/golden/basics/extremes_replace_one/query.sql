SELECT MIN(weight) AS light, MAX(weight) AS heavy FROM clinic WHERE positive
