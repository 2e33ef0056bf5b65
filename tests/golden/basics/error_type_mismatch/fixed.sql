-- pasted: 30
-- asks: what was meant
SELECT COUNT(*) FROM staff WHERE age = 30
