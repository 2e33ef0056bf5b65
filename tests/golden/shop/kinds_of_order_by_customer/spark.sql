WITH `base` AS (SELECT `status` AS `c_status`, `_lapcat_unit` AS `unit`
FROM `orders`),
`each` AS (SELECT `unit`, `c_status` AS `v_v1`
FROM `base`),
`units` AS (SELECT CAST(COUNT(DISTINCT `v_v1`) AS BIGINT) AS `c_v1`
FROM `each`
GROUP BY `unit`),
`step0` AS (SELECT *, CAST(`c_v1` AS DOUBLE) AS `e0_0`
FROM `units`),
`picked` AS (SELECT CAST(FLOOR(CASE WHEN `e0_0` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN CAST('3.0' AS DOUBLE) < `e0_0` THEN CAST('3.0' AS DOUBLE) ELSE `e0_0` END * CAST('2.0' AS DOUBLE)) AS BIGINT) AS `v0`
FROM `step0`),
`cells` AS (SELECT SUM(`v0`) AS `a0`, COUNT(`v0`) AS `a1`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`, `a1`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a1` AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))) - (CAST(3 AS DECIMAL(38, 0)) * COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0)))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
