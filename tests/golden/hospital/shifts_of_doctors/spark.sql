WITH `base` AS (SELECT `began` AS `c_began`, `doctor_id` AS `c_doctor_id`, `hours` AS `c_hours`, GREATEST(CAST(30 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_unit` AS `unit`, `_lapcat_weight`, `_lapcat_weighed_hours`
FROM `shifts`),
`left` AS (SELECT `c_began`, `c_hours`, `size`, `unit`, `c_doctor_id` AS `j0`
FROM `base`),
`base_2` AS (SELECT `doctor_id` AS `c_doctor_id`, `field` AS `c_field`, `_lapcat_unit` AS `unit`
FROM `doctors`),
`right` AS (SELECT `c_field`, `unit`, `c_doctor_id` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_began`, `l`.`c_hours`, `l`.`size`, `l`.`unit`, `r`.`c_field` AS `c_field@2`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`step0` AS (SELECT *, CAST(DAYOFWEEK(`c_began`) - 1 AS BIGINT) AS `e0_0`, CAST(`c_hours` AS DOUBLE) AS `e0_1`
FROM `pairs`),
`picked` AS (SELECT `c_field@2` AS `k0`, CAST((CAST(FLOOR(CASE WHEN `e0_1` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('24.0' AS DOUBLE) THEN `e0_1` WHEN `e0_1` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `e0_1` <= CAST('inf' AS DOUBLE) THEN CAST('24.0' AS DOUBLE) END * CAST('67108864.0' AS DOUBLE)) AS DOUBLE) * CAST('30.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`
FROM `step0`
WHERE `e0_0` IN (CAST(0 AS BIGINT), CAST(6 AS BIGINT))),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['surgery', 'children', 'eyes'] of 3
