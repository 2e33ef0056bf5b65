SELECT AVG(SQRT(salary)) AS m FROM staff
