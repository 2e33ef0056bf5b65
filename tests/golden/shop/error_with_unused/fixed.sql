-- pasted: FROM big
-- asks: what was meant
WITH big AS (SELECT * FROM orders WHERE amount > 400)
SELECT COUNT(*) AS n FROM big
