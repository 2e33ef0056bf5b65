WITH `base` AS (SELECT `product_id` AS `c_product_id`, `quantity` AS `c_quantity`, GREATEST(CAST(50 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_quantity`
FROM `items`),
`left` AS (SELECT `c_quantity`, `size`, `c_product_id` AS `j0`, TRUE AS `j1`
FROM `base`),
`base_2` AS (SELECT `category` AS `c_category`, `product_id` AS `c_product_id`
FROM `products`),
`right` AS (SELECT `c_product_id` AS `j0`, `c_category` = 'books' AS `j1`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_quantity`, `l`.`size`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`j1` = `r`.`j1`)),
`step0` AS (SELECT *, CAST(`c_quantity` AS DOUBLE) AS `e0_0`
FROM `pairs`),
`picked` AS (SELECT CAST((CAST(FLOOR(CASE WHEN `e0_0` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('10.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('10.0' AS DOUBLE) END * CAST('134217728.0' AS DOUBLE)) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w0`
FROM `step0`
WHERE `c_quantity` > CAST(1 AS BIGINT)),
`cells` AS (SELECT CAST(SUM(`w0` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w0`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
