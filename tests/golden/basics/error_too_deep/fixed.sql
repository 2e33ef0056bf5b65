-- done: write it flatter
SELECT COUNT(*) FROM staff WHERE smoker
