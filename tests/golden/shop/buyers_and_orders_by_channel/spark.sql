WITH `base` AS (SELECT `channel` AS `c_channel`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`picked` AS (SELECT CASE WHEN ARRAY_CONTAINS(CAST(FROM_JSON(:known0, 'ARRAY<STRING>') AS ARRAY<STRING>), `c_channel`) THEN `c_channel` END AS `k0`, `unit`
FROM `base`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`, COUNT(DISTINCT `unit`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(COALESCE(`keys0`.`place`, CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`
FROM `placed`
-- $known0 = ['web', 'app'] of 2
-- $list0 = ['web', 'app'] of 2
