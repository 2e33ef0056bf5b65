SELECT diagnosis, MODE(emergency) AS e, MIN(days) AS d FROM visits GROUP BY diagnosis
