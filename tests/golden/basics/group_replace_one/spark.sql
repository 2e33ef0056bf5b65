WITH `base` AS (SELECT `dose` AS `c_dose`, `ward` AS `c_ward`, `_lapcat_weighed_dose`
FROM `clinic`),
`picked` AS (SELECT `c_ward` AS `k0`, `_lapcat_weighed_dose` AS `v1`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(`v1`) AS `a1`, COUNT(*) AS `a2`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`, `a2`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a1` AS BIGINT) AS `s0`, CAST(`a2` AS BIGINT) AS `s1`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s2`
FROM `placed`
-- $list0 = ['eyes', 'heart'] of 2
