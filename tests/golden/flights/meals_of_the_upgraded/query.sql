SELECT meal, COUNT(*) AS bookings
FROM bookings
WHERE passenger IN (SELECT passenger FROM bookings WHERE cabin = 'business')
GROUP BY meal
