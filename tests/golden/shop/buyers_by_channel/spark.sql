WITH `base` AS (SELECT `channel` AS `c_channel`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(10000 AS BIGINT)),
`keyed` AS (SELECT `c_channel`, `rank`, `unit`, `c_channel` AS `g0`
FROM `base`),
`pairs` AS (SELECT `unit`, `g0`
FROM `keyed`
WHERE `rank` <= CAST(4 AS BIGINT)
GROUP BY `unit`, `g0`),
`settled` AS (SELECT `unit`
FROM `pairs`
GROUP BY `unit` HAVING COUNT(*) >= CAST(4 AS BIGINT)),
`early` AS (SELECT `l`.`c_channel`, `l`.`rank`, `l`.`unit`
FROM `keyed` AS l
INNER JOIN `settled` AS r ON `l`.`unit` = `r`.`unit`
WHERE `rank` <= CAST(4 AS BIGINT)),
`others` AS (SELECT `l`.`c_channel`, `l`.`rank`, `l`.`unit`, `l`.`g0`
FROM `keyed` AS l
LEFT JOIN `settled` AS r ON `l`.`unit` = `r`.`unit`
WHERE `r`.`unit` IS NULL),
`ordered` AS (SELECT `c_channel`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `least`
FROM `others`),
`ranked` AS (SELECT `c_channel`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`
WHERE `place` <= CAST(1 AS BIGINT)),
`bounded` AS (SELECT `c_channel`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(4 AS BIGINT) UNION ALL SELECT `c_channel`, `rank`, `unit`
FROM `early`),
`picked` AS (SELECT CASE WHEN ARRAY_CONTAINS(CAST(FROM_JSON(:known0, 'ARRAY<STRING>') AS ARRAY<STRING>), `c_channel`) THEN `c_channel` END AS `k0`, `unit`
FROM `bounded`),
`cells` AS (SELECT `k0`, COUNT(DISTINCT `unit`) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(COALESCE(`keys0`.`place`, CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $known0 = ['web', 'app'] of 2
-- $list0 = ['web', 'app'] of 2
