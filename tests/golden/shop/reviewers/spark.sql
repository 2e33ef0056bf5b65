WITH `base` AS (SELECT `stars` AS `c_stars`, `_lapcat_unit` AS `unit`
FROM `reviews`),
`picked` AS (SELECT `unit`
FROM `base`
WHERE `c_stars` = CAST(1 AS BIGINT)),
`cells` AS (SELECT COUNT(DISTINCT `unit`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
