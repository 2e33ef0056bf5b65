-- pasted: AVG
SELECT AVG(salary) FROM staff
