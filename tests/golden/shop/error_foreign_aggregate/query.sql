SELECT MONTH(placed) AS month, SUM(amount, contribution_bounds_per_group => (0, 300)) AS total FROM orders GROUP BY 1
