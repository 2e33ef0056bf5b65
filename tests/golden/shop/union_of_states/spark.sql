WITH `base` AS (SELECT `amount` AS `c_amount`, `status` AS `c_status`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`kept` AS (SELECT `c_amount`
FROM `base`
WHERE `c_status` = 'sent'),
`base_2` AS (SELECT `amount` AS `c_amount`, `status` AS `c_status`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`kept_2` AS (SELECT `c_amount`
FROM `base_2`
WHERE `c_status` = 'returned'),
`parts` AS (SELECT `c_amount` AS `c_u1`
FROM `kept` UNION ALL SELECT NULLIF(CAST(CAST(0 AS BIGINT) AS DOUBLE) - `c_amount`, CAST('nan' AS DOUBLE)) AS `c_u1`
FROM `kept_2`),
`picked` AS (SELECT CAST(FLOOR(CASE WHEN `c_u1` BETWEEN CAST('-500.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN `c_u1` WHEN `c_u1` < CAST('-500.0' AS DOUBLE) THEN CAST('-500.0' AS DOUBLE) WHEN `c_u1` <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS `v0`
FROM `parts`),
`cells` AS (SELECT CAST(SUM(`v0` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v0`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(*) AS `a1`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`, `a1`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a1` AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
