WITH `base` AS (SELECT `amount` AS `c_amount`, `status` AS `c_status`, GREATEST(CAST(5 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_amount`
FROM `orders`),
`step0` AS (SELECT *, CASE WHEN `c_amount` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('1000.0' AS DOUBLE) THEN `c_amount` WHEN `c_amount` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_amount` <= CAST('inf' AS DOUBLE) THEN CAST('1000.0' AS DOUBLE) END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` * CAST('512.0' AS DOUBLE) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT `c_status` AS `k0`, CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END AS `k1`, `_lapcat_weight` AS `w2`
FROM `step1`),
`cells` AS (SELECT `k0`, `k1`, SUM(`w2`) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((`keys0`.`place` * CAST(512001 AS BIGINT)) + CASE WHEN `k1` BETWEEN CAST(0 AS BIGINT) AND CAST(512000 AS BIGINT) THEN `k1` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['open', 'sent'] of 2
