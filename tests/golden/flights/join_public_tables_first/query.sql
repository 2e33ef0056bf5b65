SELECT a.country, COUNT(*) AS bookings
FROM airports AS a
JOIN flights AS f ON f.goes_to = a.code
JOIN bookings AS b ON b.flight = f.flight
GROUP BY a.country
