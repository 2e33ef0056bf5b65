SELECT floor, SUM(salary) / floor AS each, CASE WHEN COUNT(*) > 100 THEN 'many' ELSE 'few' END AS size, CAST(COUNT(*) AS VARCHAR) AS text FROM staff GROUP BY floor
