SELECT COUNT(*) AS n
FROM (SELECT flight FROM delays UNION ALL SELECT flight FROM bookings)
