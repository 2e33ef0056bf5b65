WITH `base` AS (SELECT `weight` AS `c_weight`, `_lapcat_weighed_weight`
FROM `cats`),
`step0` AS (SELECT *, CASE WHEN (`c_weight` >= CAST('0.0' AS DOUBLE)) AND (`c_weight` <= CAST('5.0' AS DOUBLE)) THEN `c_weight` END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` * CAST('100.0' AS DOUBLE) AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e1_0` / NULLIF(CAST('25.0' AS DOUBLE), CAST('0.0' AS DOUBLE)) AS `e2_0`
FROM `step1`),
`step3` AS (SELECT *, `e2_0` + CAST('7.105427357601002e-14' AS DOUBLE) AS `e3_0`
FROM `step2`),
`step4` AS (SELECT *, CASE WHEN (`e3_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e3_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e3_0`) AS BIGINT) END AS `e4_0`
FROM `step3`),
`step5` AS (SELECT *, CAST(CASE WHEN `e4_0` BETWEEN CAST(0 AS BIGINT) AND CAST(19 AS BIGINT) THEN `e4_0` WHEN `e4_0` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(19 AS BIGINT) < `e4_0` THEN CAST(19 AS BIGINT) END * CAST(25 AS BIGINT) AS DOUBLE) AS `e5_0`
FROM `step4`),
`step6` AS (SELECT *, NULLIF(`e5_0` / NULLIF(CAST('100.0' AS DOUBLE), CAST('0.0' AS DOUBLE)), CAST('nan' AS DOUBLE)) AS `e6_0`
FROM `step5`),
`picked` AS (SELECT CASE WHEN `e6_0` = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE `e6_0` END AS `k0`
FROM `step6`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS DOUBLE) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5, 4.75] of 20
