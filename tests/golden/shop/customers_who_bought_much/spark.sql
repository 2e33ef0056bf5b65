WITH `base` AS (SELECT `_lapcat_unit` AS `unit`
FROM `customers`),
`left` AS (SELECT `unit`
FROM `base`),
`base_2` AS (SELECT `amount` AS `c_amount`, `_lapcat_unit` AS `unit`
FROM `orders`),
`kept` AS (SELECT `unit`
FROM `base_2`
WHERE `c_amount` > CAST(CAST(400 AS BIGINT) AS DOUBLE)),
`each` AS (SELECT `unit`
FROM `kept`),
`units` AS (SELECT `unit` AS `unit`
FROM `each`
GROUP BY `unit`),
`right` AS (SELECT `unit`
FROM `units`),
`pairs` AS (SELECT `l`.`unit`
FROM `left` AS l
INNER JOIN `right` AS r ON `l`.`unit` = `r`.`unit`),
`picked` AS (SELECT 1 AS `one`
FROM `pairs`),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
