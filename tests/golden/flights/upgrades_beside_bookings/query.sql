SELECT COUNT(*) AS bookings, COUNT(u.points) AS upgraded
FROM bookings AS b
LEFT JOIN upgrades AS u ON b.booking = u.booking
