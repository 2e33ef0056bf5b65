-- done: shorten it
-- asks: something else: shorten it
SELECT COUNT(*) AS n FROM staff WHERE name LIKE 'a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_%'
