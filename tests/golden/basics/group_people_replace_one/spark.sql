WITH `base` AS (SELECT `amount` AS `c_amount`, `status` AS `c_status`, GREATEST(CAST(5 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_amount`
FROM `orders`),
`picked` AS (SELECT `c_status` AS `k0`, CAST((CAST(FLOOR(CASE WHEN `c_amount` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('1000.0' AS DOUBLE) THEN `c_amount` WHEN `c_amount` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_amount` <= CAST('inf' AS DOUBLE) THEN CAST('1000.0' AS DOUBLE) END * CAST('2097152.0' AS DOUBLE)) AS DOUBLE) * CAST('5.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`, `_lapcat_weight` AS `w2`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, SUM(`w2`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['open', 'sent'] of 2
