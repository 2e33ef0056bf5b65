SELECT SUM(hours) AS hours, COUNT(DISTINCT licence) AS pilots FROM pilots
