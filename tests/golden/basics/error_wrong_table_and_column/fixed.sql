-- pasted: score
SELECT COUNT(*) FROM staff WHERE score > 3
