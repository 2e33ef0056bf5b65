SELECT coupon, COUNT(*) AS orders, SUM(discount) AS given FROM orders GROUP BY coupon
