SELECT salary, COUNT(*) AS n FROM staff GROUP BY salary
