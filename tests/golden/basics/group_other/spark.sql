WITH `base` AS (SELECT `colour` AS `c_colour`, `lives` AS `c_lives`, `_lapcat_weighed_lives`
FROM `cats`),
`picked` AS (SELECT `c_colour` AS `k0`, `_lapcat_weighed_lives` AS `v1`
FROM `base`),
`cells` AS (SELECT `k0`, SUM(`v1`) AS `a0`, COUNT(*) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(COALESCE(`keys0`.`place`, CAST(3 AS BIGINT)), CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(SUM(CAST(`a1` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(SUM(CAST(`a0` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
GROUP BY `cell`
-- $list0 = ['orange', 'blue', 'black'] of 3
