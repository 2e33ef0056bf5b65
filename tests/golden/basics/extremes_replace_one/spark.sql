WITH `base` AS (SELECT `positive` AS `c_positive`, `weight` AS `c_weight`, `_lapcat_weighed_weight`
FROM `clinic`),
`step0` AS (SELECT *, COALESCE(`c_weight`, CAST('70.0' AS DOUBLE)) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, CASE WHEN `e0_0` BETWEEN CAST('30.0' AS DOUBLE) AND CAST('150.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('30.0' AS DOUBLE) THEN CAST('30.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('150.0' AS DOUBLE) END AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e1_0` * CAST('8192.0' AS DOUBLE) AS `e2_0`
FROM `step1`),
`picked` AS (SELECT CASE WHEN (`e2_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e2_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e2_0`) AS BIGINT) END AS `k0`
FROM `step2`
WHERE `c_positive`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(CASE WHEN `k0` BETWEEN CAST(245760 AS BIGINT) AND CAST(1228800 AS BIGINT) THEN `k0` - CAST(245760 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
