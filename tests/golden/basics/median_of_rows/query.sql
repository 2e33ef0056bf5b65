SELECT MEDIAN(weight) AS m FROM cats
