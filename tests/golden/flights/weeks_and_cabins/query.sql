SELECT DATE_TRUNC('week', booked) AS week, cabin, COUNT(*) AS n
FROM bookings
GROUP BY ROLLUP (week), cabin
ORDER BY n DESC
