WITH `base` AS (SELECT `booking` AS `c_booking`, `_lapcat_unit` AS `unit`
FROM `upgrades`),
`left` AS (SELECT `unit`, `c_booking` AS `j0`
FROM `base`),
`base_2` AS (SELECT `booking` AS `c_booking`, `_lapcat_unit` AS `unit`
FROM `bookings`),
`right` AS (SELECT `unit`, `c_booking` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`unit`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`picked` AS (SELECT `unit`
FROM `pairs`),
`cells` AS (SELECT COUNT(DISTINCT `unit`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
