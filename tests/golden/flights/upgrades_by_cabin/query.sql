SELECT b.cabin, COUNT(*) AS upgrades, SUM(u.points) AS points
FROM upgrades AS u
JOIN bookings AS b ON u.booking = b.booking
WHERE NOT u.paid
GROUP BY b.cabin
