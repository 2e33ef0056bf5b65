-- done: close it: 'text'
-- asks: what was meant
SELECT COUNT(*) AS n FROM staff WHERE name = 'Lily'
