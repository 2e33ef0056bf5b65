SELECT COUNT(*) AS n FROM staff WHERE name LIKE '%a%e%i%o%u%a%e%i%o%'
