SELECT meal, cabin, COUNT(DISTINCT passenger) AS passengers FROM bookings GROUP BY meal, cabin
