SELECT MEDIAN(salary) FROM staff
