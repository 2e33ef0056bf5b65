-- done: FLOOR(x / 10) of a column with declared bounds
SELECT FLOOR(salary / 10000), COUNT(*) FROM staff GROUP BY 1
