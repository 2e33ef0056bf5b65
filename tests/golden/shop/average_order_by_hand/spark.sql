WITH `base` AS (SELECT `amount` AS `c_amount`, `status` AS `c_status`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`picked` AS (SELECT `c_status` AS `k0`, CAST(FLOOR(CASE WHEN `c_amount` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN `c_amount` WHEN `c_amount` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_amount` <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS `v1`, `unit`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(DISTINCT `unit`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['open', 'sent', 'returned'] of 3
