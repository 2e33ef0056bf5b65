WITH `base` AS (SELECT `pain` AS `c_pain`, `waited` AS `c_waited`, `_lapcat_weighed_pain`, `_lapcat_weighed_waited`
FROM `survey`),
`step0` AS (SELECT *, CASE WHEN (`c_waited` >= CAST('0.0' AS DOUBLE)) AND (`c_waited` <= CAST('600.0' AS DOUBLE)) THEN `c_waited` END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` - CAST('0.0' AS DOUBLE) AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e1_0` * CAST('4.0' AS DOUBLE) AS `e2_0`
FROM `step1`),
`step3` AS (SELECT *, `e2_0` / CAST('120.0' AS DOUBLE) AS `e3_0`
FROM `step2`),
`picked` AS (SELECT CASE WHEN (`e0_0` >= CAST('0.0' AS DOUBLE)) AND (`e0_0` < CAST('120.0' AS DOUBLE)) THEN CASE WHEN (`e3_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e3_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e3_0`) AS BIGINT) END + CAST(1 AS BIGINT) WHEN `e0_0` < CAST('0.0' AS DOUBLE) THEN CAST(0 AS BIGINT) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST(5 AS BIGINT) END AS `k0`, `_lapcat_weighed_pain` AS `v1`
FROM `step3`),
`cells` AS (SELECT `k0`, SUM(`v1`) AS `a0`, COUNT(*) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(CASE WHEN `k0` BETWEEN CAST(0 AS BIGINT) AND CAST(5 AS BIGINT) THEN `k0` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a1` AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
