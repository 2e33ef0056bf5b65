-- pasted: DATE_DIFF('minute', hired, seen)
-- asks: what was meant
SELECT COUNT(*) AS n FROM staff WHERE DATE_DIFF('minute', hired, seen) > 7
