SELECT WIDTH_BUCKET(CLAMP(total, 0, 1000), 0, 1000, 5) AS band, COUNT(*) AS customers
FROM (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id) AS per
GROUP BY band
