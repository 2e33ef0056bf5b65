SELECT COUNT(*) AS frequent
FROM (SELECT passenger, COUNT(*) AS flights FROM bookings GROUP BY passenger)
WHERE flights >= 10
