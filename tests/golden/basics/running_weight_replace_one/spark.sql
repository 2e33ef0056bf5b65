WITH `base` AS (SELECT `positive` AS `c_positive`, `weight` AS `c_weight`, `_lapcat_weighed_weight`
FROM `clinic`),
`step0` AS (SELECT *, CASE WHEN (`c_weight` >= CAST('30.0' AS DOUBLE)) AND (`c_weight` <= CAST('150.0' AS DOUBLE)) THEN `c_weight` END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` / NULLIF(CAST('5.0' AS DOUBLE), CAST('0.0' AS DOUBLE)) AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END AS `e2_0`
FROM `step1`),
`picked` AS (SELECT CASE WHEN `e2_0` BETWEEN CAST(6 AS BIGINT) AND CAST(29 AS BIGINT) THEN `e2_0` WHEN `e2_0` < CAST(6 AS BIGINT) THEN CAST(6 AS BIGINT) WHEN CAST(29 AS BIGINT) < `e2_0` THEN CAST(29 AS BIGINT) END * CAST(5 AS BIGINT) AS `k0`, `c_positive` AS `p1`
FROM `step2`),
`cells` AS (SELECT `k0`, COUNT(*) FILTER(WHERE `p1`) AS `a0`, COUNT(*) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS BIGINT) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = [30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115, 120, 125] of 24
