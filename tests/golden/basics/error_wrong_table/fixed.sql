-- done: leave the table out: salary
-- asks: what was meant
SELECT COUNT(*) FROM staff WHERE salary > 3
