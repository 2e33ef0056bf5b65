WITH `base` AS (SELECT `dose` AS `c_dose`, `_lapcat_weighed_dose`
FROM `clinic`),
`step0` AS (SELECT *, CASE WHEN `c_dose` < CAST('-1.5' AS DOUBLE) THEN CAST('-1.5' AS DOUBLE) WHEN CAST('2.5' AS DOUBLE) < `c_dose` THEN CAST('2.5' AS DOUBLE) ELSE `c_dose` END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` * CAST('131072.0' AS DOUBLE) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END AS `k0`
FROM `step1`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(CASE WHEN `k0` BETWEEN CAST(-196608 AS BIGINT) AND CAST(327680 AS BIGINT) THEN `k0` - CAST(-196608 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
