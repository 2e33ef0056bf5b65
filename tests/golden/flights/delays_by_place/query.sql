SELECT place, SUM(minutes) AS minutes FROM delays GROUP BY place
