-- pasted: ROUND(salary, 2)
-- asks: the same
SELECT SUM(ROUND(salary, 2)) AS total FROM staff
