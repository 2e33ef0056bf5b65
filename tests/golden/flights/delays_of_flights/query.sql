SELECT f.origin, MONTH(d.reported) AS month, COUNT(*) AS late
FROM delays AS d
LEFT JOIN flights AS f ON d.flight = f.flight
WHERE d.minutes > LEAST(60, f.km / 10)
GROUP BY f.origin, month
