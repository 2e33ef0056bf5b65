SELECT COUNT(*) AS n, AVG(waited) AS waited FROM arrivals WHERE by_car AND month = 3
