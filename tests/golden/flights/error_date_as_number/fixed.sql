-- done: CAST(x AS DOUBLE)
SELECT AVG(CAST(bags AS DOUBLE)) AS bags FROM bookings
