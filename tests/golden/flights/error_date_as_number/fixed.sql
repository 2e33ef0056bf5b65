-- pasted: AVG(YEAR(booked))
-- asks: something else: which asks for the year alone
SELECT AVG(YEAR(booked)) AS booked FROM bookings
