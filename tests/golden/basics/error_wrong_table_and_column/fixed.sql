-- pasted: score
-- asks: something else: take a column of this question
SELECT COUNT(*) FROM staff WHERE score > 3
