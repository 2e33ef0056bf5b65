WITH `base` AS (SELECT `region` AS `c_region`, `salary` AS `c_salary`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_salary`
FROM `staff`),
`picked` AS (SELECT `c_region` AS `k0`, `_lapcat_weighed_salary` AS `w1`, `_lapcat_weight` AS `w2`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, SUM(`w2`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['north', 'south', 'west'] of 3
WITH `base` AS (SELECT `region` AS `c_region`, `salary` AS `c_salary`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_salary`
FROM `staff`),
`step0` AS (SELECT *, COALESCE(`c_salary`, CAST('20000.0' AS DOUBLE)) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, CASE WHEN `e0_0` BETWEEN CAST('20000.0' AS DOUBLE) AND CAST('200000.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('20000.0' AS DOUBLE) THEN CAST('20000.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('200000.0' AS DOUBLE) END AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e1_0` * CAST('1.0' AS DOUBLE) AS `e2_0`
FROM `step1`),
`picked` AS (SELECT `c_region` AS `k0`, CASE WHEN (`e2_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e2_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e2_0`) AS BIGINT) END AS `k1`, `_lapcat_weight` AS `w2`
FROM `step2`),
`cells` AS (SELECT `k0`, `k1`, SUM(`w2`) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((`keys0`.`place` * CAST(180001 AS BIGINT)) + CASE WHEN `k1` BETWEEN CAST(20000 AS BIGINT) AND CAST(200000 AS BIGINT) THEN `k1` - CAST(20000 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['north', 'south', 'west'] of 3
