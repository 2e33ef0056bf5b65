-- pasted: SELECT COUNT(*) AS n FROM staff; SELECT COUNT(*) FROM staff WHERE smoker
-- done: and compare the answers
-- asks: the same
SELECT COUNT(*) AS n FROM staff; SELECT COUNT(*) FROM staff WHERE smoker
