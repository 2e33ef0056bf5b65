SELECT COUNT(*) AS n
FROM (SELECT status AS what FROM orders UNION ALL SELECT amount AS what FROM orders)
