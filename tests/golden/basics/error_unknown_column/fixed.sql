-- pasted: salary
SELECT AVG(salary) FROM staff
