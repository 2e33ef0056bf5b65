-- pasted: ON o.order_id = r.product_id AND r.customer_id = o.customer_id
-- asks: something else: this counts only pairs of one person
SELECT COUNT(*) AS n
FROM orders AS o
JOIN reviews AS r ON o.order_id = r.product_id AND r.customer_id = o.customer_id
