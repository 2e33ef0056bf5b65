WITH `base` AS (SELECT `_lapcat_unit` AS `unit`
FROM `orders`),
`base_2` AS (SELECT `_lapcat_unit` AS `unit`
FROM `reviews`),
`parts` AS (SELECT `unit` AS `unit`
FROM `base` UNION ALL SELECT `unit` AS `unit`
FROM `base_2`),
`picked` AS (SELECT `unit`
FROM `parts`),
`cells` AS (SELECT COUNT(DISTINCT `unit`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
