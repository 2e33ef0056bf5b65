SELECT COUNT(*) FROM staff WHERE regexp_matches(name, '^A')
