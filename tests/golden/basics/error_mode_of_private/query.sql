SELECT MODE(city) AS c FROM staff
