SELECT p.tier, COUNT(*) AS n
FROM passengers AS p
JOIN bookings AS b ON p.passenger = b.passenger
JOIN upgrades AS u ON u.booking = b.booking
GROUP BY p.tier
