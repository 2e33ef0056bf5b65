SELECT floor * 10, CASE WHEN region = 'N' THEN 'north' ELSE 'rest' END AS side, COUNT(*) AS n FROM staff GROUP BY floor, region
