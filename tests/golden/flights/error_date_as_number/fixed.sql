-- pasted: AVG(DATE_DIFF('day', DATE '1970-01-01', booked))
-- asks: the same
SELECT AVG(DATE_DIFF('day', DATE '1970-01-01', booked)) AS booked FROM bookings
