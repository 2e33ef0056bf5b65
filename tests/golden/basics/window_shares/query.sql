SELECT region, floor, COUNT(*) AS n, n * 100.0 / SUM(n) OVER () AS share, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY region) AS within FROM staff GROUP BY region, floor
