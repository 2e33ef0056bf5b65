SELECT age, floor, hired, COUNT(*) FROM staff GROUP BY age, floor, hired, FLOOR(salary / 100)
