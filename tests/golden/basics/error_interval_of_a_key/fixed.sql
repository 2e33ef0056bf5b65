-- done: DP_INTERVAL_LOW(n)
-- asks: what was meant
SELECT region, COUNT(*) AS n, DP_INTERVAL_LOW(n) AS low FROM staff GROUP BY region
