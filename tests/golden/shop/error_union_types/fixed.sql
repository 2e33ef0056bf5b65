-- pasted: CAST
-- asks: what was meant
SELECT COUNT(*) AS n
FROM (SELECT CAST(status AS DOUBLE) AS what FROM orders UNION ALL SELECT amount AS what FROM orders)
