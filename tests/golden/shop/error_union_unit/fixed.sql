-- done: select the unit at the same place in each part
-- asks: what was meant
SELECT COUNT(*) AS n
FROM (SELECT customer_id FROM reviews UNION ALL SELECT customer_id FROM orders)
