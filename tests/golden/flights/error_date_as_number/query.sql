SELECT AVG(booked) AS booked FROM bookings
