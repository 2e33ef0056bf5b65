-- pasted: COUNT(*, contribution_bounds_per_group => (LOW, HIGH))
-- given: LOW = 0, HIGH = 20
-- asks: the same
SELECT SUM(amount, contribution_bounds_per_group => (0, 300)) AS total, COUNT(*, contribution_bounds_per_group => (0, 20)) AS n FROM orders
