WITH `base` AS (SELECT `amount` AS `c_amount`, `customer_id` AS `c_customer_id`, GREATEST(CAST(20 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_unit` AS `unit`, `_lapcat_weight`, `_lapcat_weighed_amount`
FROM `orders`),
`left` AS (SELECT `c_amount`, `size`, `unit`, `c_customer_id` AS `j0`
FROM `base`),
`base_2` AS (SELECT `age` AS `c_age`, `customer_id` AS `c_customer_id`, `region` AS `c_region`, `_lapcat_unit` AS `unit`
FROM `customers`),
`right` AS (SELECT `c_age`, `c_region`, `unit`, `c_customer_id` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_amount`, `l`.`size`, `l`.`unit`, `r`.`c_age` AS `c_age@2`, `r`.`c_region` AS `c_region@2`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`left_2` AS (SELECT `c_amount`, `c_age@2`, `size`, `unit`, `c_region@2` AS `j0`
FROM `pairs`),
`base_3` AS (SELECT `code` AS `c_code`, `country` AS `c_country`
FROM `regions`),
`right_2` AS (SELECT `c_country`, `c_code` AS `j0`
FROM `base_3`),
`pairs_2` AS (SELECT `l`.`c_amount`, `l`.`c_age@2`, `l`.`size`, `l`.`unit`, `r`.`c_country` AS `c_country@3`
FROM `left_2` AS l
INNER JOIN `right_2` AS r ON `l`.`j0` = `r`.`j0`),
`picked` AS (SELECT `c_country@3` AS `k0`, CAST((CAST(FLOOR(CASE WHEN `c_amount` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN `c_amount` WHEN `c_amount` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_amount` <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS DOUBLE) * CAST('20.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`
FROM `pairs_2`
WHERE `c_age@2` >= CAST(30 AS BIGINT)),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['x', 'y'] of 2
