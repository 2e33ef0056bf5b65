SELECT seat, COUNT(*) AS bookings FROM bookings GROUP BY seat ORDER BY bookings DESC, seat LIMIT 5
