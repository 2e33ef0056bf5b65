SELECT coupon, MAX(amount) AS dear FROM orders GROUP BY coupon HAVING MAX(amount) > 100
