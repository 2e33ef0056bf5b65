-- done: SQRT(AVG(salary))
-- asks: something else: which is a different number
SELECT SQRT(AVG(salary)) AS m FROM staff
