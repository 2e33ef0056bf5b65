-- done: see `lapcat error unsupported` for what works
SELECT COUNT(*) FROM staff WHERE name LIKE 'A%'
