SELECT SUM(amount, contribution_bounds_per_group => (0, 300)) AS total, COUNT(*) AS n FROM orders
