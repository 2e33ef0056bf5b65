SELECT * FROM staff
