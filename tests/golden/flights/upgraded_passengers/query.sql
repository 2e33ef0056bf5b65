SELECT COUNT(DISTINCT b.passenger) AS passengers
FROM upgrades AS u
JOIN bookings AS b USING (booking)
