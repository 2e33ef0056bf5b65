SELECT cabin, AVG(fare) AS fare FROM bookings WHERE booked >= '2024-06-01' GROUP BY cabin
