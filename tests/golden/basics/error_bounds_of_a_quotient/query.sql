SELECT AVG(salary / score) AS q FROM staff
