-- done: group by fewer columns
SELECT age, floor, COUNT(*) FROM staff GROUP BY age, floor
