-- pasted: GROUP BY
-- asks: something else: a number for each group
SELECT region, SUM(salary) FROM staff GROUP BY region
