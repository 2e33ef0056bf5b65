WITH `base` AS (SELECT `region` AS `c_region`, `_lapcat_unit` AS `unit`
FROM `customers`),
`left` AS (SELECT `c_region`, `unit`
FROM `base`),
`base_2` AS (SELECT `amount` AS `c_amount`, `_lapcat_unit` AS `unit`
FROM `orders`),
`each` AS (SELECT `unit`, CAST(FLOOR(CASE WHEN `c_amount` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN CAST('500.0' AS DOUBLE) < `c_amount` THEN CAST('500.0' AS DOUBLE) ELSE `c_amount` END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS `v_v1`
FROM `base_2`),
`units` AS (SELECT `unit` AS `unit`, CAST(CAST(CASE WHEN NOT ((CAST(SUM(`v_v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v_v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0)))) IS NULL) THEN LEAST(GREATEST(CAST(CAST(SUM(`v_v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v_v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) END AS BIGINT) AS DOUBLE) * CAST('2.384185791015625e-07' AS DOUBLE) AS `c_v1`
FROM `each`
GROUP BY `unit`),
`right` AS (SELECT `c_v1`, `unit`
FROM `units`),
`pairs` AS (SELECT `l`.`c_region`, `l`.`unit`, `r`.`c_v1` AS `c_v1@2`
FROM `left` AS l
LEFT JOIN `right` AS r ON `l`.`unit` = `r`.`unit`),
`picked` AS (SELECT `c_region` AS `k0`, CAST(FLOOR(CASE WHEN `c_v1@2` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN CAST('2000.0' AS DOUBLE) < `c_v1@2` THEN CAST('2000.0' AS DOUBLE) ELSE `c_v1@2` END * CAST('2097152.0' AS DOUBLE)) AS BIGINT) AS `v1`
FROM `pairs`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(`v1`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a1` AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))) - (CAST(2097152000 AS DECIMAL(38, 0)) * COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0)))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['N', 'S', 'W'] of 3
