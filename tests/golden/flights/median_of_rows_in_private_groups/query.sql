SELECT place, MEDIAN(minutes) AS m FROM delays GROUP BY place
