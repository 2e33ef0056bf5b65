SELECT COUNT(*) FROM staff WHERE cats.salary > 3
