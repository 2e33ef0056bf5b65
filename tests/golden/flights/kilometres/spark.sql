WITH `base` AS (SELECT `flight` AS `c_flight`, GREATEST(CAST(30 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`
FROM `bookings`),
`left` AS (SELECT `size`, `c_flight` AS `j0`
FROM `base`),
`base_2` AS (SELECT `flight` AS `c_flight`, `km` AS `c_km`
FROM `flights`),
`right` AS (SELECT `c_km`, `c_flight` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`size`, `r`.`c_km` AS `c_km@2`
FROM `left` AS l
INNER JOIN `right` AS r ON `l`.`j0` = `r`.`j0`),
`step0` AS (SELECT *, CAST(`c_km@2` AS DOUBLE) AS `e0_0`
FROM `pairs`),
`picked` AS (SELECT CAST((CAST(FLOOR(CASE WHEN `e0_0` BETWEEN CAST('100.0' AS DOUBLE) AND CAST('15000.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('100.0' AS DOUBLE) THEN CAST('100.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('15000.0' AS DOUBLE) END * CAST('131072.0' AS DOUBLE)) AS DOUBLE) * CAST('30.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w0`
FROM `step0`),
`cells` AS (SELECT CAST(SUM(`w0` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w0`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
