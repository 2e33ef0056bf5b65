-- pasted: GROUP BY FLOOR(salary / 10)
SELECT COUNT(*) AS n FROM staff GROUP BY FLOOR(salary / 10)
