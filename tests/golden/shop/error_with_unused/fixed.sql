-- pasted: FROM big
WITH big AS (SELECT * FROM orders WHERE amount > 400)
SELECT COUNT(*) AS n FROM big
