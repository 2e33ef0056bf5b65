-- pasted: select age as a column of its own, and GROUP BY it
-- select age as a column of its own, and GROUP BY it
SELECT region, age, COUNT(*) AS n FROM staff GROUP BY region, age
