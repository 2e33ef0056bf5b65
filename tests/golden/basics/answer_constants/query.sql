SELECT 'all' AS label, 1 AS one, NULL AS x, COUNT(*) AS n FROM staff
