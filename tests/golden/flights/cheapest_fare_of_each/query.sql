SELECT AVG(cheapest) AS cheapest, AVG(dearest - cheapest) AS spread
FROM (SELECT passenger, MIN(fare) AS cheapest, MAX(fare) AS dearest FROM bookings GROUP BY passenger)
