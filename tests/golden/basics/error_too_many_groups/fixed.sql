-- done: group by fewer columns
-- asks: something else: fewer columns
SELECT age, floor, COUNT(*) FROM staff GROUP BY age, floor
