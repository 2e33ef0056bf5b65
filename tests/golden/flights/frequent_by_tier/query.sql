SELECT p.tier, COUNT(*) AS frequent
FROM passengers AS p
JOIN (SELECT passenger FROM bookings GROUP BY passenger HAVING COUNT(*) >= 10) AS b ON p.passenger = b.passenger
GROUP BY p.tier
