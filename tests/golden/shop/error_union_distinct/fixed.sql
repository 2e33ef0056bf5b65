-- pasted: UNION ALL
SELECT COUNT(*) AS n
FROM (SELECT customer_id FROM orders UNION ALL SELECT customer_id FROM reviews)
