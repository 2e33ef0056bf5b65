-- pasted: salary
-- asks: what was meant
SELECT AVG(salary) FROM staff
