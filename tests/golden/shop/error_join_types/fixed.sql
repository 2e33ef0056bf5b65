-- pasted: CAST
SELECT COUNT(*) AS n
FROM customers AS c
JOIN products AS p ON CAST(c.region AS BIGINT) = p.product_id
