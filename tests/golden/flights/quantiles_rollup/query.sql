SELECT cabin, bags, MEDIAN(fare) AS m FROM bookings GROUP BY ROLLUP (cabin, bags)
