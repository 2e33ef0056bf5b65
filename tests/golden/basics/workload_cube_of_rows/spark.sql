WITH `base` AS (SELECT `colour` AS `c_colour`, `lives` AS `c_lives`, `_lapcat_weighed_lives`
FROM `cats`),
`picked` AS (SELECT `c_colour` AS `k0`, `c_lives` AS `k1`
FROM `base`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((COALESCE(`keys0`.`place`, CAST(3 AS BIGINT)) * CAST(20 AS BIGINT)) + COALESCE(CASE WHEN `k1` BETWEEN CAST(-9 AS BIGINT) AND CAST(9 AS BIGINT) THEN `k1` - CAST(-9 AS BIGINT) END, CAST(19 AS BIGINT)), CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(SUM(CAST(`a0` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
GROUP BY `cell`
-- $list0 = ['orange', 'blue', 'black'] of 3
