SELECT COUNT(*) FROM staff WHERE age = 'young'
