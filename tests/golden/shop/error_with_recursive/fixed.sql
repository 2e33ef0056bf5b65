-- left out: RECURSIVE
WITH r AS (SELECT * FROM orders)
SELECT COUNT(*) AS n FROM r
