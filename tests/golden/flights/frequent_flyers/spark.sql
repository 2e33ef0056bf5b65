WITH `base` AS (SELECT `_lapcat_unit` AS `unit`
FROM `bookings`),
`each` AS (SELECT `unit`
FROM `base`),
`units` AS (SELECT CAST(COUNT(*) AS BIGINT) AS `c_v1`
FROM `each`
GROUP BY `unit`),
`picked` AS (SELECT 1 AS `one`
FROM `units`
WHERE `c_v1` >= CAST(10 AS BIGINT)),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
