WITH `base` AS (SELECT `status` AS `c_status`, GREATEST(CAST(20 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`
FROM `orders`),
`picked` AS (SELECT `c_status` AS `k0`, `_lapcat_weight` AS `w1`
FROM `base`),
`cells` AS (SELECT `k0`, SUM(`w1`) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['open', 'sent', 'returned'] of 3
