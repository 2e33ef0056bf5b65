-- done: compare and compute with values of one type
SELECT COUNT(*) FROM staff WHERE age < 30
