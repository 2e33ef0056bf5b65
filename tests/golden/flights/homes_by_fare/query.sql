SELECT p.home, AVG(b.fare) AS fare
FROM bookings AS b
JOIN passengers AS p ON b.passenger = p.passenger
GROUP BY p.home
