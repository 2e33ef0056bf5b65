WITH `base` AS (SELECT `region` AS `c_region`, `salary` AS `c_salary`
FROM `staff`
WHERE `_lapcat_rank` <= CAST(10 AS BIGINT)),
`picked` AS (SELECT `c_region` AS `k0`, CAST(FLOOR(CASE WHEN `c_salary` BETWEEN CAST('20000.0' AS DOUBLE) AND CAST('200000.0' AS DOUBLE) THEN `c_salary` WHEN `c_salary` < CAST('20000.0' AS DOUBLE) THEN CAST('20000.0' AS DOUBLE) WHEN `c_salary` <= CAST('inf' AS DOUBLE) THEN CAST('200000.0' AS DOUBLE) ELSE CAST('20000.0' AS DOUBLE) END * CAST('16384.0' AS DOUBLE)) AS BIGINT) AS `v1`, CASE WHEN `c_salary` = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE `c_salary` END AS `d2`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(*) AS `a1`, COUNT(DISTINCT `d2`) AS `a2`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`, `a2`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a2` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))) - (CAST(1802240000 AS DECIMAL(38, 0)) * COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0)))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s2`
FROM `placed`
-- $list0 = ['north', 'south', 'west'] of 3
WITH `base` AS (SELECT `region` AS `c_region`, `salary` AS `c_salary`
FROM `staff`
WHERE `_lapcat_rank` <= CAST(10 AS BIGINT)),
`step0` AS (SELECT *, COALESCE(`c_salary`, CAST('20000.0' AS DOUBLE)) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, CASE WHEN `e0_0` BETWEEN CAST('20000.0' AS DOUBLE) AND CAST('200000.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('20000.0' AS DOUBLE) THEN CAST('20000.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('200000.0' AS DOUBLE) END AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e1_0` * CAST('1.0' AS DOUBLE) AS `e2_0`
FROM `step1`),
`picked` AS (SELECT `c_region` AS `k0`, CASE WHEN (`e2_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e2_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e2_0`) AS BIGINT) END AS `k1`
FROM `step2`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((`keys0`.`place` * CAST(180001 AS BIGINT)) + CASE WHEN `k1` BETWEEN CAST(20000 AS BIGINT) AND CAST(200000 AS BIGINT) THEN `k1` - CAST(20000 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['north', 'south', 'west'] of 3
WITH `base` AS (SELECT `floor` AS `c_floor`, `region` AS `c_region`
FROM `staff`
WHERE `_lapcat_rank` <= CAST(10 AS BIGINT)),
`picked` AS (SELECT `c_region` AS `k0`, `c_floor` AS `k1`
FROM `base`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((`keys0`.`place` * CAST(10 AS BIGINT)) + `keys1`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`
INNER JOIN (SELECT CAST(`value` AS BIGINT) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list1, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys1` ON `k1` = `keys1`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['north', 'south', 'west'] of 3
-- $list1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] of 10
