WITH `base` AS (SELECT `booking` AS `c_booking`, `passenger` AS `c_passenger`, `_lapcat_unit` AS `unit`
FROM `bookings`
WHERE `_lapcat_rank` <= CAST(30 AS BIGINT)),
`left` AS (SELECT `c_booking`, `unit`, `c_passenger` AS `j0`
FROM `base`),
`base_2` AS (SELECT `passenger` AS `c_passenger`, `tier` AS `c_tier`, `_lapcat_unit` AS `unit`
FROM `passengers`),
`right` AS (SELECT `c_tier`, `unit`, `c_passenger` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_booking`, `l`.`unit`, `r`.`c_tier` AS `c_tier@2`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`left_2` AS (SELECT `c_tier@2`, `unit`, `c_booking` AS `j0`
FROM `pairs`),
`base_3` AS (SELECT `booking` AS `c_booking`, `_lapcat_unit` AS `unit`
FROM `upgrades`
WHERE `_lapcat_rank` <= CAST(10 AS BIGINT)),
`right_2` AS (SELECT `unit`, `c_booking` AS `j0`
FROM `base_3`),
`pairs_2` AS (SELECT `l`.`c_tier@2`, `l`.`unit`
FROM `left_2` AS l
INNER JOIN `right_2` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`picked` AS (SELECT `c_tier@2` AS `k0`
FROM `pairs_2`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['blue', 'silver', 'gold'] of 3
