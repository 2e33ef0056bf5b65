SELECT region, COUNT(*) AS n, DP_INTERVAL_LOW(region) AS low FROM staff GROUP BY region
