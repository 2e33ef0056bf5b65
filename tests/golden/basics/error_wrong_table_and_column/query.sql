SELECT COUNT(*) FROM staff WHERE cats.weight > 3
