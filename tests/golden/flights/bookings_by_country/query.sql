SELECT a.country, COUNT(*) AS bookings
FROM bookings AS b
JOIN flights AS f ON b.flight = f.flight
JOIN airports AS a ON f.goes_to = a.code
GROUP BY a.country
