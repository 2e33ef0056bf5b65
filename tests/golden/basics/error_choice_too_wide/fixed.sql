-- pasted: AVG
SELECT hired, age, AVG(salary) AS m FROM staff GROUP BY hired, age
