-- pasted: select age as a column of its own, and GROUP BY it
-- asks: something else: a column of its own
-- select age as a column of its own, and GROUP BY it
SELECT region, age, COUNT(*) AS n FROM staff GROUP BY region, age
