SELECT COALESCE(region, 'all') AS region, GROUPING(region) AS total, COUNT(*) AS n FROM staff GROUP BY ROLLUP (region)
