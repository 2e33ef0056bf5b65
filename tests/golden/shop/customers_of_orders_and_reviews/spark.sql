WITH `base` AS (SELECT `_lapcat_unit` AS `unit`
FROM `orders`),
`left` AS (SELECT `unit`
FROM `base`),
`base_2` AS (SELECT `_lapcat_unit` AS `unit`
FROM `reviews`),
`each` AS (SELECT `unit`
FROM `base_2`),
`units` AS (SELECT `unit` AS `unit`
FROM `each`
GROUP BY `unit`),
`right` AS (SELECT `unit`
FROM `units`),
`pairs` AS (SELECT `l`.`unit`
FROM `left` AS l
INNER JOIN `right` AS r ON `l`.`unit` = `r`.`unit`),
`each_2` AS (SELECT `unit`
FROM `pairs`),
`units_2` AS (SELECT 1 AS `one`
FROM `each_2`
GROUP BY `unit`),
`picked` AS (SELECT 1 AS `one`
FROM `units_2`),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
