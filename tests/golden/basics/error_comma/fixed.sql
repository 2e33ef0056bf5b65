-- done: take the comma out
-- asks: what was meant
SELECT region, QUANTILE_CONT(salary, 0.5) AS half FROM staff GROUP BY region
