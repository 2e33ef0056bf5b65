WITH `base` AS (SELECT `price` AS `c_price`, `product_id` AS `c_product_id`, `quantity` AS `c_quantity`, GREATEST(CAST(50 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_price`, `_lapcat_weighed_quantity`
FROM `items`),
`left` AS (SELECT `c_price`, `c_quantity`, `size`, `c_product_id` AS `j0`
FROM `base`),
`base_2` AS (SELECT `cost` AS `c_cost`, `maker` AS `c_maker`, `product_id` AS `c_product_id`
FROM `products`),
`right` AS (SELECT `c_cost`, `c_maker`, `c_product_id` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_price`, `l`.`c_quantity`, `l`.`size`, `r`.`c_cost` AS `c_cost@2`, `r`.`c_maker` AS `c_maker@2`
FROM `left` AS l
LEFT JOIN `right` AS r ON `l`.`j0` = `r`.`j0`),
`step0` AS (SELECT *, CASE WHEN `c_price` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('200.0' AS DOUBLE) THEN `c_price` WHEN `c_price` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_price` <= CAST('inf' AS DOUBLE) THEN CAST('200.0' AS DOUBLE) END AS `e0_0`, CASE WHEN `c_cost@2` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('100.0' AS DOUBLE) THEN `c_cost@2` WHEN `c_cost@2` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_cost@2` <= CAST('inf' AS DOUBLE) THEN CAST('100.0' AS DOUBLE) END AS `e0_1`, CAST(CASE WHEN `c_quantity` BETWEEN CAST(0 AS BIGINT) AND CAST(10 AS BIGINT) THEN `c_quantity` WHEN `c_quantity` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(10 AS BIGINT) < `c_quantity` THEN CAST(10 AS BIGINT) END AS DOUBLE) AS `e0_2`
FROM `pairs`),
`step1` AS (SELECT *, `e0_0` - `e0_1` AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e0_2` * `e1_0` AS `e2_0`
FROM `step1`),
`picked` AS (SELECT CAST((CAST(FLOOR(CASE WHEN `e2_0` BETWEEN CAST('-1000.0' AS DOUBLE) AND CAST('2000.0' AS DOUBLE) THEN `e2_0` WHEN `e2_0` < CAST('-1000.0' AS DOUBLE) THEN CAST('-1000.0' AS DOUBLE) WHEN `e2_0` <= CAST('inf' AS DOUBLE) THEN CAST('2000.0' AS DOUBLE) END * CAST('1048576.0' AS DOUBLE)) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w0`
FROM `step2`
WHERE NOT (`c_maker@2` IS NULL)),
`cells` AS (SELECT CAST(SUM(`w0` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w0`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
