SELECT MEDIAN(salary) AS m FROM staff WHERE smoker
