SELECT region, COUNT(*), SUM(salary) FILTER (WHERE age >= 18) FROM staff GROUP BY region
