WITH trips AS (
  SELECT b.passenger, f.km, b.fare / f.km AS per_km
  FROM bookings AS b
  JOIN flights AS f USING (flight)
)
SELECT COUNT(*) AS long, AVG(CLAMP(per_km, 0, 1)) AS per_km FROM trips WHERE km > 5000
