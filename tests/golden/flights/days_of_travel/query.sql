SELECT COUNT(*) AS days
FROM (SELECT DISTINCT passenger, booked FROM bookings)
