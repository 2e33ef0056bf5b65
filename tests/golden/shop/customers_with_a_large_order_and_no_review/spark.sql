WITH `base` AS (SELECT `_lapcat_unit` AS `unit`
FROM `customers`),
`left` AS (SELECT `unit`
FROM `base`),
`base_2` AS (SELECT `amount` AS `c_amount`, `_lapcat_unit` AS `unit`
FROM `orders`),
`kept` AS (SELECT `unit`
FROM `base_2`
WHERE `c_amount` > CAST(CAST(100 AS BIGINT) AS DOUBLE)),
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
`left_2` AS (SELECT `unit`
FROM `pairs`),
`base_3` AS (SELECT `_lapcat_unit` AS `unit`
FROM `reviews`),
`each_2` AS (SELECT `unit`
FROM `base_3`),
`units_2` AS (SELECT `unit` AS `unit`, CAST(COUNT(*) AS BIGINT) AS `c_n`
FROM `each_2`
GROUP BY `unit`),
`right_2` AS (SELECT `c_n`, `unit`
FROM `units_2`),
`pairs_2` AS (SELECT `l`.`unit`, `r`.`c_n` AS `c_n@3`
FROM `left_2` AS l
LEFT JOIN `right_2` AS r ON `l`.`unit` = `r`.`unit`),
`picked` AS (SELECT 1 AS `one`
FROM `pairs_2`
WHERE `c_n@3` IS NULL),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
