SELECT seat, meal, COUNT(*) AS bookings FROM bookings WHERE fare > 100 GROUP BY seat, meal
