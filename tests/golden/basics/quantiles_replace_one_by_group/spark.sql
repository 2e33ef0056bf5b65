WITH `base` AS (SELECT `ward` AS `c_ward`, `weight` AS `c_weight`, `_lapcat_weighed_weight`
FROM `clinic`),
`step0` AS (SELECT *, COALESCE(`c_weight`, CAST('70.0' AS DOUBLE)) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, CASE WHEN `e0_0` BETWEEN CAST('30.0' AS DOUBLE) AND CAST('150.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('30.0' AS DOUBLE) THEN CAST('30.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('150.0' AS DOUBLE) END AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e1_0` * CAST('4096.0' AS DOUBLE) AS `e2_0`
FROM `step1`),
`picked` AS (SELECT `c_ward` AS `k0`, CASE WHEN (`e2_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e2_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e2_0`) AS BIGINT) END AS `k1`
FROM `step2`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((`keys0`.`place` * CAST(491521 AS BIGINT)) + CASE WHEN `k1` BETWEEN CAST(122880 AS BIGINT) AND CAST(614400 AS BIGINT) THEN `k1` - CAST(122880 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['eyes', 'heart'] of 2
