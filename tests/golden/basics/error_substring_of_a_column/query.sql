SELECT COUNT(*) AS n FROM staff WHERE SUBSTRING(name, floor) = 'x'
