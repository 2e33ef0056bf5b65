-- pasted: 1e308
SELECT COUNT(*) FROM staff WHERE score < 1e308
