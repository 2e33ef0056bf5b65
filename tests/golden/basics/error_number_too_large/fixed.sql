-- pasted: 1e308
-- asks: what was meant
SELECT COUNT(*) FROM staff WHERE score < 1e308
