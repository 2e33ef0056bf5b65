SELECT COUNT(*) AS n
FROM orders AS a
JOIN orders AS b ON a.customer_id = b.customer_id
JOIN reviews AS r ON a.customer_id = r.customer_id
WHERE a.coupon = b.coupon OR a.channel = b.channel
