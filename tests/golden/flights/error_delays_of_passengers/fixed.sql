-- pasted: SELECT COUNT(*) AS n FROM (SELECT flight FROM delays)
-- pasted: SELECT COUNT(*) AS n FROM (SELECT flight FROM bookings)
-- asks: the same
SELECT COUNT(*) AS n FROM (SELECT flight FROM delays);
SELECT COUNT(*) AS n FROM (SELECT flight FROM bookings)
