SELECT MODE(name) AS m FROM staff
