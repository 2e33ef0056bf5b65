SELECT coupon, COUNT(DISTINCT customer_id) AS buyers FROM orders GROUP BY coupon
