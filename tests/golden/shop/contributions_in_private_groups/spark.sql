WITH `base` AS (SELECT `amount` AS `c_amount`, `coupon` AS `c_coupon`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `orders`),
`each` AS (SELECT `unit`, `rank`, `c_coupon` AS `c_k0`, CAST(FLOOR(CASE WHEN `c_amount` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN `c_amount` WHEN `c_amount` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_amount` <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS `v_v1`
FROM `base`),
`units` AS (SELECT `unit` AS `unit`, MIN(`rank`) AS `rank`, `c_k0`, CAST(CAST(CASE WHEN NOT ((CAST(SUM(`v_v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v_v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0)))) IS NULL) THEN LEAST(GREATEST(CAST(CAST(SUM(`v_v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v_v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) END AS BIGINT) AS DOUBLE) * CAST('2.384185791015625e-07' AS DOUBLE) AS `c_v1`
FROM `each`
GROUP BY `unit`, `c_k0`),
`keyed` AS (SELECT `c_k0`, `c_v1`, `rank`, `unit`, `c_k0` AS `g0`
FROM `units`),
`ordered` AS (SELECT `c_k0`, `c_v1`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `least`
FROM `keyed`),
`ranked` AS (SELECT `c_k0`, `c_v1`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`
WHERE `place` <= CAST(1 AS BIGINT)),
`bounded` AS (SELECT `c_k0`, `c_v1`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(1 AS BIGINT)),
`picked` AS (SELECT `c_k0` AS `k0`, CAST(FLOOR(CASE WHEN `c_v1` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('300.0' AS DOUBLE) THEN `c_v1` WHEN `c_v1` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_v1` <= CAST('inf' AS DOUBLE) THEN CAST('300.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS `v1`, `unit`
FROM `bounded`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`)
SELECT `k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, CAST(0 AS BIGINT) AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `cells` ORDER BY `k0`
