-- done: close it: 'text'
SELECT COUNT(*) AS n FROM staff WHERE name = 'Lily'
