SELECT SUM(f.km) AS km FROM bookings AS b JOIN flights AS f ON b.flight = f.flight
