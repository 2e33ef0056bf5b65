WITH `base` AS (SELECT `cabin` AS `c_cabin`, `meal` AS `c_meal`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `bookings`
WHERE `_lapcat_rank` <= CAST(10000 AS BIGINT)),
`keyed` AS (SELECT `c_cabin`, `c_meal`, `rank`, `unit`, `c_meal` AS `g0`, `c_cabin` AS `g1`
FROM `base`),
`pairs` AS (SELECT `unit`, `g0`, `g1`
FROM `keyed`
WHERE `rank` <= CAST(5 AS BIGINT)
GROUP BY `unit`, `g0`, `g1`),
`settled` AS (SELECT `unit`
FROM `pairs`
GROUP BY `unit` HAVING COUNT(*) >= CAST(5 AS BIGINT)),
`early` AS (SELECT `l`.`c_cabin`, `l`.`c_meal`, `l`.`rank`, `l`.`unit`
FROM `keyed` AS l
INNER JOIN `settled` AS r ON `l`.`unit` = `r`.`unit`
WHERE `rank` <= CAST(5 AS BIGINT)),
`others` AS (SELECT `l`.`c_cabin`, `l`.`c_meal`, `l`.`rank`, `l`.`unit`, `l`.`g0`, `l`.`g1`
FROM `keyed` AS l
LEFT JOIN `settled` AS r ON `l`.`unit` = `r`.`unit`
WHERE `r`.`unit` IS NULL),
`ordered` AS (SELECT `c_cabin`, `c_meal`, `rank`, `unit`, `g0`, `g1`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0`, `g1` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0`, `g1` ORDER BY `rank` NULLS LAST) AS `least`
FROM `others`),
`ranked` AS (SELECT `c_cabin`, `c_meal`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST, `g1` NULLS LAST) AS `which`
FROM `ordered`
WHERE `place` <= CAST(1 AS BIGINT)),
`bounded` AS (SELECT `c_cabin`, `c_meal`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(5 AS BIGINT) UNION ALL SELECT `c_cabin`, `c_meal`, `rank`, `unit`
FROM `early`),
`picked` AS (SELECT `c_meal` AS `k0`, `c_cabin` AS `k1`, `unit`
FROM `bounded`),
`combinations` AS (SELECT `k0`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`),
`cells` AS (SELECT `k0`, `k1`, COUNT(DISTINCT `unit`) AS `a0`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`, `k1`),
`placed` AS (SELECT `k0`, COALESCE(`keys1`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list1, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys1` ON `k1` = `keys1`.`value`),
`ready` AS (SELECT `k0`, `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`)
SELECT `combinations`.`k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, COALESCE(`cell`, CAST(-1 AS BIGINT)) AS `cell`, `s0`
FROM `combinations`
LEFT JOIN `ready` ON `combinations`.`k0` = `ready`.`k0`
-- $list1 = ['economy', 'business'] of 2
