SELECT LENGTH(region) AS letters, COUNT(*) AS n, AVG(CLAMP(LENGTH(name), 0, 40)) AS length
FROM staff GROUP BY LENGTH(region)
