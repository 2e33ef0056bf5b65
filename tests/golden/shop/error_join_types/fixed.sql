-- pasted: CAST(c.region AS BIGINT) = p.product_id
-- asks: what was meant
SELECT COUNT(*) AS n
FROM customers AS c
JOIN products AS p ON CAST(c.region AS BIGINT) = p.product_id
