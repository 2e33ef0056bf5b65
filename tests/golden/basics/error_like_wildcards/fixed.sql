-- done: leave out some of them
-- asks: something else: leave out some of them
SELECT COUNT(*) AS n FROM staff WHERE name LIKE '%a%e%i%o%u%'
