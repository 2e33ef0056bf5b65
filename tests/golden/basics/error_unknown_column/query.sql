SELECT AVG(salry) FROM staff
