WITH `base` AS (SELECT `booked` AS `c_booked`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `bookings`),
`each` AS (SELECT `unit`, `rank`, `c_booked` AS `c_k0`
FROM `base`),
`units` AS (SELECT `unit` AS `unit`, MIN(`rank`) AS `rank`
FROM `each`
GROUP BY `unit`, `c_k0`),
`ranked` AS (SELECT `rank`, `unit`, ROW_NUMBER() OVER (PARTITION BY `unit` ORDER BY `rank` NULLS LAST) AS `place`
FROM `units`),
`bounded` AS (SELECT `rank`, `unit`
FROM `ranked`
WHERE `place` <= CAST(30 AS BIGINT)),
`picked` AS (SELECT 1 AS `one`
FROM `bounded`),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
