WITH `base` AS (SELECT `product_id` AS `c_product_id`, `quantity` AS `c_quantity`
FROM `items`
WHERE `_lapcat_rank` <= CAST(50 AS BIGINT)),
`picked` AS (SELECT `c_product_id` AS `d0`
FROM `base`
WHERE `c_quantity` > CAST(0 AS BIGINT)),
`cells` AS (SELECT COUNT(DISTINCT `d0`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
