-- pasted: GROUP BY
SELECT region, SUM(salary) FROM staff GROUP BY region
