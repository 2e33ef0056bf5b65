-- left out: RECURSIVE
-- asks: something else: without recursion
WITH r AS (SELECT order_id FROM orders)
SELECT COUNT(*) AS n FROM r
