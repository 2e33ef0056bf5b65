WITH `base` AS (SELECT `weight` AS `c_weight`, `_lapcat_weighed_weight`
FROM `cats`),
`step0` AS (SELECT *, CASE WHEN `c_weight` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('5.0' AS DOUBLE) THEN `c_weight` WHEN `c_weight` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_weight` <= CAST('inf' AS DOUBLE) THEN CAST('5.0' AS DOUBLE) END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` * CAST('131072.0' AS DOUBLE) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END AS `k0`
FROM `step1`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(CASE WHEN `k0` BETWEEN CAST(0 AS BIGINT) AND CAST(655360 AS BIGINT) THEN `k0` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
