SELECT ROUND(10 * business / flights) AS tenths, COUNT(*) AS passengers
FROM (
  SELECT passenger, CLAMP(COUNT(*) FILTER (WHERE cabin = 'business'), 0, 30) AS business,
         CLAMP(COUNT(*), 1, 30) AS flights
  FROM bookings
  GROUP BY passenger
)
GROUP BY tenths
