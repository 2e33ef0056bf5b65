-- pasted: score
-- asks: what was meant
SELECT COUNT(*) FROM staff WHERE score > 3
