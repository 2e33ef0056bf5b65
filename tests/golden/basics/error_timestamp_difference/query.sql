SELECT COUNT(*) AS n FROM staff WHERE seen - hired > 7
