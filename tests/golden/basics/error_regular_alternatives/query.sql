SELECT COUNT(*) AS n FROM staff WHERE name ~ '^(An|Bo)'
