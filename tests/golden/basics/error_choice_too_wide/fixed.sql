-- pasted: AVG
-- asks: something else: instead
SELECT hired, age, AVG(salary) AS m FROM staff GROUP BY hired, age
