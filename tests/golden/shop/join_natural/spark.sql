WITH `base` AS (SELECT `order_id` AS `c_order_id`, `product_id` AS `c_product_id`, GREATEST(CAST(50 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_unit` AS `unit`, `_lapcat_weight`
FROM `items`),
`left` AS (SELECT `c_order_id`, `size`, `unit`, `c_product_id` AS `j0`
FROM `base`),
`base_2` AS (SELECT `category` AS `c_category`, `product_id` AS `c_product_id`
FROM `products`),
`right` AS (SELECT `c_category`, `c_product_id` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_order_id`, `l`.`size`, `l`.`unit`, `r`.`c_category` AS `c_category@2`
FROM `left` AS l
INNER JOIN `right` AS r ON `l`.`j0` = `r`.`j0`),
`left_2` AS (SELECT `c_category@2`, `size`, `unit`, `c_order_id` AS `j0`
FROM `pairs`),
`base_3` AS (SELECT `order_id` AS `c_order_id`, `status` AS `c_status`, `_lapcat_unit` AS `unit`
FROM `orders`),
`right_2` AS (SELECT `c_status`, `unit`, `c_order_id` AS `j0`
FROM `base_3`),
`pairs_2` AS (SELECT `l`.`c_category@2`, `l`.`size`, `l`.`unit`, `r`.`c_status` AS `c_status@3`
FROM `left_2` AS l
INNER JOIN `right_2` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`picked` AS (SELECT `c_category@2` AS `k0`, CAST((CAST(CAST(1048576 AS BIGINT) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`
FROM `pairs_2`
WHERE `c_status@3` = 'sent'),
`cells` AS (SELECT `k0`, SUM(`w1`) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['books', 'garden', 'toys'] of 3
