-- pasted: FROM (SELECT *, MONTH(placed) AS month FROM orders) GROUP BY month
-- asks: the same
SELECT month, SUM(amount, contribution_bounds_per_group => (0, 300)) AS total
FROM (SELECT *, MONTH(placed) AS month FROM orders) GROUP BY month
