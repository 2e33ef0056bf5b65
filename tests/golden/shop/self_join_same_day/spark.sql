WITH `base` AS (SELECT `order_id` AS `c_order_id`, `status` AS `c_status`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`left` AS (SELECT `c_order_id`, `unit`, `c_status` AS `j0`
FROM `base`),
`base_2` AS (SELECT `order_id` AS `c_order_id`, `status` AS `c_status`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`right` AS (SELECT `c_order_id`, `unit`, `c_status` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_order_id`, `l`.`unit`, `r`.`c_order_id` AS `c_order_id@2`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`picked` AS (SELECT 1 AS `one`
FROM `pairs`
WHERE `c_order_id` < `c_order_id@2`),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
