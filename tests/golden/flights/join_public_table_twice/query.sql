SELECT a.country AS origin, z.country AS destination, COUNT(*) AS n
FROM airports a, airports z, flights f, bookings b
WHERE b.flight = f.flight AND f.goes_to = z.code AND f.origin = a.code
GROUP BY a.country, z.country
