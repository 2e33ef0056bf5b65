SELECT f.origin, b.cabin, SUM(b.bags) AS bags
FROM flights AS f
JOIN bookings AS b ON b.flight = f.flight
GROUP BY CUBE (f.origin, b.cabin)
