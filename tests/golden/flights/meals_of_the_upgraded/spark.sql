WITH `base` AS (SELECT `meal` AS `c_meal`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `bookings`
WHERE `_lapcat_rank` <= CAST(30 AS BIGINT)),
`left` AS (SELECT `c_meal`, `rank`, `unit`
FROM `base`),
`base_2` AS (SELECT `cabin` AS `c_cabin`, `_lapcat_unit` AS `unit`
FROM `bookings`),
`kept` AS (SELECT `unit`
FROM `base_2`
WHERE `c_cabin` = 'business'),
`each` AS (SELECT `unit`
FROM `kept`),
`units` AS (SELECT `unit` AS `unit`
FROM `each`
GROUP BY `unit`),
`right` AS (SELECT `unit`
FROM `units`),
`pairs` AS (SELECT `l`.`c_meal`, `l`.`rank`, `l`.`unit`
FROM `left` AS l
INNER JOIN `right` AS r ON `l`.`unit` = `r`.`unit`),
`keyed` AS (SELECT `c_meal`, `rank`, `unit`, `c_meal` AS `g0`
FROM `pairs`),
`ordered` AS (SELECT `c_meal`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `least`
FROM `keyed`),
`ranked` AS (SELECT `c_meal`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`),
`bounded` AS (SELECT `c_meal`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(5 AS BIGINT)),
`picked` AS (SELECT `c_meal` AS `k0`, `unit`
FROM `bounded`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`)
SELECT `k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, CAST(0 AS BIGINT) AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `cells` ORDER BY `k0`
