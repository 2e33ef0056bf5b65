-- pasted: APPROX_TOP_K(BUCKETS(CAST(salary * 1e9 AS BIGINT)), 2)
-- asks: something else: which counts buckets
SELECT APPROX_TOP_K(BUCKETS(CAST(salary * 1e9 AS BIGINT)), 2) AS m FROM staff
