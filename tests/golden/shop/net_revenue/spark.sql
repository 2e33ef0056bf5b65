WITH `base` AS (SELECT `amount` AS `c_amount`, `discount` AS `c_discount`, `status` AS `c_status`, GREATEST(CAST(20 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_amount`, `_lapcat_weighed_discount`
FROM `orders`),
`step0` AS (SELECT *, COALESCE(`c_discount`, CAST('0.0' AS DOUBLE)) AS `e0_0`, CASE WHEN `c_amount` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN `c_amount` WHEN `c_amount` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_amount` <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END AS `e0_1`
FROM `base`),
`step1` AS (SELECT *, CASE WHEN `e0_0` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('100.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('100.0' AS DOUBLE) END AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e0_1` - `e1_0` AS `e2_0`
FROM `step1`),
`picked` AS (SELECT CAST((CAST(FLOOR(CASE WHEN `e2_0` BETWEEN CAST('-100.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN `e2_0` WHEN `e2_0` < CAST('-100.0' AS DOUBLE) THEN CAST('-100.0' AS DOUBLE) WHEN `e2_0` <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS DOUBLE) * CAST('20.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w0`
FROM `step2`
WHERE `c_status` <> 'returned'),
`cells` AS (SELECT CAST(SUM(`w0` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w0`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
