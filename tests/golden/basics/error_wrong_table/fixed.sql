-- done: write salary alone
SELECT COUNT(*) FROM staff WHERE salary > 3
