WITH `base` AS (SELECT `product_id` AS `c_product_id`, GREATEST(CAST(50 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`
FROM `items`),
`left` AS (SELECT `size`, `c_product_id` AS `j0`, TRUE AS `j1`
FROM `base`),
`base_2` AS (SELECT `category` AS `c_category`, `cost` AS `c_cost`, `product_id` AS `c_product_id`
FROM `products`),
`right` AS (SELECT `c_category`, `c_product_id` AS `j0`, `c_cost` < CAST(CAST(10 AS BIGINT) AS DOUBLE) AS `j1`
FROM `base_2`),
`pairs` AS (SELECT `l`.`size`, `r`.`c_category` AS `c_category@2`
FROM `left` AS l
LEFT JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`j1` = `r`.`j1`)),
`picked` AS (SELECT `c_category@2` AS `k0`, CAST((CAST(CAST(1048576 AS BIGINT) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`
FROM `pairs`),
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
