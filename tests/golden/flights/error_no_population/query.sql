SELECT COUNT(*) AS n
FROM bookings AS b
JOIN pilots AS p ON b.flight = p.flight AND b.passenger = p.licence
