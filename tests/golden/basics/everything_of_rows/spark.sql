WITH `base` AS (SELECT `colour` AS `c_colour`, `weight` AS `c_weight`, `_lapcat_weighed_weight`
FROM `cats`),
`picked` AS (SELECT CASE WHEN ARRAY_CONTAINS(CAST(FROM_JSON(:known0, 'ARRAY<STRING>') AS ARRAY<STRING>), `c_colour`) THEN `c_colour` END AS `k0`, `_lapcat_weighed_weight` AS `v1`, CASE WHEN `c_weight` = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE `c_weight` END AS `d2`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(DISTINCT `d2`) AS `a1`, COUNT(`v1`) AS `a2`, COUNT(*) AS `a3`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(COALESCE(`keys0`.`place`, CAST(3 AS BIGINT)), CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`, `a2`, `a3`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a1` AS BIGINT) AS `s0`, CAST(`a2` AS BIGINT) AS `s1`, CAST(`a3` AS BIGINT) AS `s2`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s3`
FROM `placed`
-- $known0 = ['orange', 'blue', 'black'] of 3
-- $list0 = ['orange', 'blue', 'black'] of 3
WITH `base` AS (SELECT `colour` AS `c_colour`, `weight` AS `c_weight`, `_lapcat_weighed_weight`
FROM `cats`),
`step0` AS (SELECT *, CASE WHEN `c_weight` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('5.0' AS DOUBLE) THEN `c_weight` WHEN `c_weight` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_weight` <= CAST('inf' AS DOUBLE) THEN CAST('5.0' AS DOUBLE) END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` * CAST('32768.0' AS DOUBLE) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT `c_colour` AS `k0`, CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END AS `k1`
FROM `step1`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((COALESCE(`keys0`.`place`, CAST(3 AS BIGINT)) * CAST(163841 AS BIGINT)) + CASE WHEN `k1` BETWEEN CAST(0 AS BIGINT) AND CAST(163840 AS BIGINT) THEN `k1` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(SUM(CAST(`a0` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
GROUP BY `cell`
-- $list0 = ['orange', 'blue', 'black'] of 3
WITH `base` AS (SELECT `colour` AS `c_colour`, `lives` AS `c_lives`, `_lapcat_weighed_lives`
FROM `cats`),
`picked` AS (SELECT `c_colour` AS `k0`, `c_lives` AS `k1`
FROM `base`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((COALESCE(`keys0`.`place`, CAST(3 AS BIGINT)) * CAST(19 AS BIGINT)) + `keys1`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`
INNER JOIN (SELECT CAST(`value` AS BIGINT) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list1, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys1` ON `k1` = `keys1`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(SUM(CAST(`a0` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
GROUP BY `cell`
-- $list0 = ['orange', 'blue', 'black'] of 3
-- $list1 = [-9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9] of 19
