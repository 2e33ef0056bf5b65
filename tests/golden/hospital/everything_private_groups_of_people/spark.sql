WITH `base` AS (SELECT `bill` AS `c_bill`, `diagnosis` AS `c_diagnosis`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`keyed` AS (SELECT `c_bill`, `c_diagnosis`, `rank`, `unit`, `c_diagnosis` AS `g0`
FROM `base`),
`ordered` AS (SELECT `c_bill`, `c_diagnosis`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `least`
FROM `keyed`),
`ranked` AS (SELECT `c_bill`, `c_diagnosis`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`),
`bounded` AS (SELECT `c_bill`, `c_diagnosis`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(3 AS BIGINT)),
`picked` AS (SELECT `c_diagnosis` AS `k0`, CAST(FLOOR(CASE WHEN `c_bill` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('50000.0' AS DOUBLE) THEN `c_bill` WHEN `c_bill` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_bill` <= CAST('inf' AS DOUBLE) THEN CAST('50000.0' AS DOUBLE) ELSE CAST('0.0' AS DOUBLE) END * CAST('65536.0' AS DOUBLE)) AS BIGINT) AS `v1`, CASE WHEN `c_bill` = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE `c_bill` END AS `d2`, `unit`
FROM `bounded`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(*) AS `a1`, COUNT(DISTINCT `d2`) AS `a2`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`)
SELECT `k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, CAST(0 AS BIGINT) AS `cell`, CAST(`a2` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))) - (CAST(1638400000 AS DECIMAL(38, 0)) * COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0)))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s2`
FROM `cells` ORDER BY `k0`
WITH `base` AS (SELECT `bill` AS `c_bill`, `diagnosis` AS `c_diagnosis`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`keyed` AS (SELECT `c_bill`, `c_diagnosis`, `rank`, `unit`, `c_diagnosis` AS `g0`
FROM `base`),
`ordered` AS (SELECT `c_bill`, `c_diagnosis`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `least`
FROM `keyed`),
`ranked` AS (SELECT `c_bill`, `c_diagnosis`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`),
`bounded` AS (SELECT `c_bill`, `c_diagnosis`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(3 AS BIGINT)),
`step0` AS (SELECT *, COALESCE(`c_bill`, CAST('0.0' AS DOUBLE)) AS `e0_0`
FROM `bounded`),
`step1` AS (SELECT *, CASE WHEN `e0_0` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('50000.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('50000.0' AS DOUBLE) END AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e1_0` * CAST('0.015625' AS DOUBLE) AS `e2_0`
FROM `step1`),
`picked` AS (SELECT `c_diagnosis` AS `k0`, CASE WHEN (`e2_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e2_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e2_0`) AS BIGINT) END AS `k1`, `unit`
FROM `step2`),
`combinations` AS (SELECT `k0`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`, `k1`),
`placed` AS (SELECT `k0`, COALESCE(CASE WHEN `k1` BETWEEN CAST(0 AS BIGINT) AND CAST(781 AS BIGINT) THEN `k1` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`),
`ready` AS (SELECT `k0`, `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`)
SELECT `combinations`.`k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, COALESCE(`cell`, CAST(-1 AS BIGINT)) AS `cell`, `s0`
FROM `combinations`
LEFT JOIN `ready` ON `combinations`.`k0` = `ready`.`k0`
WITH `base` AS (SELECT `diagnosis` AS `c_diagnosis`, `ward` AS `c_ward`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`keyed` AS (SELECT `c_diagnosis`, `c_ward`, `rank`, `unit`, `c_diagnosis` AS `g0`
FROM `base`),
`ordered` AS (SELECT `c_diagnosis`, `c_ward`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `least`
FROM `keyed`),
`ranked` AS (SELECT `c_diagnosis`, `c_ward`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`),
`bounded` AS (SELECT `c_diagnosis`, `c_ward`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(3 AS BIGINT)),
`picked` AS (SELECT `c_diagnosis` AS `k0`, `c_ward` AS `k1`, `unit`
FROM `bounded`),
`combinations` AS (SELECT `k0`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`, `k1`),
`placed` AS (SELECT `k0`, COALESCE(`keys1`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS BIGINT) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list1, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys1` ON `k1` = `keys1`.`value`),
`ready` AS (SELECT `k0`, `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`)
SELECT `combinations`.`k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, COALESCE(`cell`, CAST(-1 AS BIGINT)) AS `cell`, `s0`
FROM `combinations`
LEFT JOIN `ready` ON `combinations`.`k0` = `ready`.`k0`
-- $list1 = [1, 2, 3, 4, 5, 6] of 6
