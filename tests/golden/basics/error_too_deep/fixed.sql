-- done: leave out brackets and sub-queries that nest
-- asks: the same
SELECT COUNT(*) FROM staff WHERE smoker
