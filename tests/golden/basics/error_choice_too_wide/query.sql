SELECT hired, age, MEDIAN(salary) AS m FROM staff GROUP BY hired, age
