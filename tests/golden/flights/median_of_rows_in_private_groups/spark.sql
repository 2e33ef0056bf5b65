WITH `base` AS (SELECT `place` AS `c_place`
FROM `delays`),
`picked` AS (SELECT `c_place` AS `k0`
FROM `base`),
`cells` AS (SELECT `k0`, COUNT(*) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`)
SELECT `k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, CAST(0 AS BIGINT) AS `cell`
FROM `cells` ORDER BY `k0`
WITH `base` AS (SELECT `minutes` AS `c_minutes`, `place` AS `c_place`, `_lapcat_weighed_minutes`
FROM `delays`),
`step0` AS (SELECT *, CASE WHEN `c_minutes` BETWEEN CAST('-30.0' AS DOUBLE) AND CAST('600.0' AS DOUBLE) THEN `c_minutes` WHEN `c_minutes` < CAST('-30.0' AS DOUBLE) THEN CAST('-30.0' AS DOUBLE) WHEN `c_minutes` <= CAST('inf' AS DOUBLE) THEN CAST('600.0' AS DOUBLE) END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` * CAST('1.0' AS DOUBLE) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT `c_place` AS `k0`, CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END AS `k1`
FROM `step1`),
`combinations` AS (SELECT `k0`, COUNT(*) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`, `k1`),
`placed` AS (SELECT `k0`, COALESCE(CASE WHEN `k1` BETWEEN CAST(-30 AS BIGINT) AND CAST(600 AS BIGINT) THEN `k1` - CAST(-30 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`),
`ready` AS (SELECT `k0`, `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`)
SELECT `combinations`.`k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, COALESCE(`cell`, CAST(-1 AS BIGINT)) AS `cell`, `s0`
FROM `combinations`
LEFT JOIN `ready` ON `combinations`.`k0` = `ready`.`k0`
