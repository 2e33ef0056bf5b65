WITH `base` AS (SELECT `sex` AS `c_sex`, `_lapcat_unit` AS `unit`
FROM `patients`),
`left` AS (SELECT `c_sex`, `unit`
FROM `base`),
`base_2` AS (SELECT `emergency` AS `c_emergency`, `_lapcat_unit` AS `unit`
FROM `visits`),
`kept` AS (SELECT `unit`
FROM `base_2`
WHERE `c_emergency`),
`each` AS (SELECT `unit`
FROM `kept`),
`units` AS (SELECT `unit` AS `unit`, CAST(COUNT(*) AS BIGINT) AS `c_n`
FROM `each`
GROUP BY `unit`),
`right` AS (SELECT `c_n`, `unit`
FROM `units`),
`pairs` AS (SELECT `l`.`c_sex`, `l`.`unit`, `r`.`c_n` AS `c_n@2`
FROM `left` AS l
LEFT JOIN `right` AS r ON `l`.`unit` = `r`.`unit`),
`picked` AS (SELECT `c_sex` AS `k0`
FROM `pairs`
WHERE `c_n@2` IS NULL),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(COALESCE(`keys0`.`place`, CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(SUM(CAST(`a0` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
GROUP BY `cell`
-- $list0 = ['f', 'm'] of 2
