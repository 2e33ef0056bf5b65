SELECT diagnosis, emergency, AVG(days) AS days FROM visits GROUP BY diagnosis, emergency
