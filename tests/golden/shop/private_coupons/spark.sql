WITH `base` AS (SELECT `coupon` AS `c_coupon`, `discount` AS `c_discount`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`keyed` AS (SELECT `c_coupon`, `c_discount`, `rank`, `unit`, `c_coupon` AS `g0`
FROM `base`),
`ordered` AS (SELECT `c_coupon`, `c_discount`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `least`
FROM `keyed`),
`ranked` AS (SELECT `c_coupon`, `c_discount`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`),
`bounded` AS (SELECT `c_coupon`, `c_discount`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(4 AS BIGINT)),
`picked` AS (SELECT `c_coupon` AS `k0`, CAST(FLOOR(CASE WHEN `c_discount` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('100.0' AS DOUBLE) THEN `c_discount` WHEN `c_discount` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_discount` <= CAST('inf' AS DOUBLE) THEN CAST('100.0' AS DOUBLE) ELSE CAST('0.0' AS DOUBLE) END * CAST('33554432.0' AS DOUBLE)) AS BIGINT) AS `v1`, `unit`
FROM `bounded`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(*) AS `a1`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`)
SELECT `k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, CAST(0 AS BIGINT) AS `cell`, CAST(`a1` AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))) - (CAST(1677721600 AS DECIMAL(38, 0)) * COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0)))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `cells` ORDER BY `k0`
