WITH `base` AS (SELECT `order_id` AS `c_order_id`, `price` AS `c_price`, `quantity` AS `c_quantity`, GREATEST(CAST(50 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_unit` AS `unit`, `_lapcat_weight`, `_lapcat_weighed_price`, `_lapcat_weighed_quantity`
FROM `items`),
`left` AS (SELECT `c_price`, `c_quantity`, `size`, `unit`, `c_order_id` AS `j0`
FROM `base`),
`base_2` AS (SELECT `order_id` AS `c_order_id`, `status` AS `c_status`, `_lapcat_unit` AS `unit`
FROM `orders`),
`right` AS (SELECT `c_status`, `unit`, `c_order_id` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_price`, `l`.`c_quantity`, `l`.`size`, `l`.`unit`, `r`.`c_status` AS `c_status@2`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`step0` AS (SELECT *, CASE WHEN `c_price` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('200.0' AS DOUBLE) THEN `c_price` WHEN `c_price` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_price` <= CAST('inf' AS DOUBLE) THEN CAST('200.0' AS DOUBLE) END AS `e0_0`, CAST(CASE WHEN `c_quantity` BETWEEN CAST(0 AS BIGINT) AND CAST(10 AS BIGINT) THEN `c_quantity` WHEN `c_quantity` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(10 AS BIGINT) < `c_quantity` THEN CAST(10 AS BIGINT) END AS DOUBLE) AS `e0_1`
FROM `pairs`),
`step1` AS (SELECT *, `e0_0` * `e0_1` AS `e1_0`
FROM `step0`),
`picked` AS (SELECT `c_status@2` AS `k0`, CAST((CAST(FLOOR(CASE WHEN `e1_0` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('2000.0' AS DOUBLE) THEN `e1_0` WHEN `e1_0` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `e1_0` <= CAST('inf' AS DOUBLE) THEN CAST('2000.0' AS DOUBLE) END * CAST('1048576.0' AS DOUBLE)) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`
FROM `step1`),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['open', 'sent', 'returned'] of 3
