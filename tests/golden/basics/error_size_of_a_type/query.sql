SELECT SUM(CAST(salary AS DECIMAL(10, 2))) AS total FROM staff
