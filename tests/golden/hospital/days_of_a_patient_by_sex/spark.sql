WITH `base` AS (SELECT `bill` AS `c_bill`, `days` AS `c_days`, `patient_id` AS `c_patient_id`, `_lapcat_unit` AS `unit`
FROM `visits`),
`step0` AS (SELECT *, COALESCE(`c_bill`, CAST('0.0' AS DOUBLE)) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, CASE WHEN `e0_0` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('50000.0' AS DOUBLE) THEN `e0_0` WHEN `e0_0` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `e0_0` <= CAST('inf' AS DOUBLE) THEN CAST('50000.0' AS DOUBLE) END AS `e1_0`
FROM `step0`),
`each` AS (SELECT `unit`, `c_patient_id` AS `v_v0`, CASE WHEN `c_days` BETWEEN CAST(0 AS BIGINT) AND CAST(60 AS BIGINT) THEN `c_days` WHEN `c_days` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(60 AS BIGINT) < `c_days` THEN CAST(60 AS BIGINT) END AS `v_v1`, CASE WHEN `e1_0` = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE `e1_0` END AS `v_v2`
FROM `step1`),
`units` AS (SELECT `unit` AS `unit`, MIN(`v_v0`) AS `c_v0`, CAST(CASE WHEN NOT (SUM(`v_v1`) IS NULL) THEN LEAST(GREATEST(CAST(SUM(`v_v1`) AS DECIMAL(38, 0)), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) END AS BIGINT) AS `c_v1`, MAX(`v_v2`) AS `c_v2`
FROM `each`
GROUP BY `unit`),
`left` AS (SELECT `c_v1`, `c_v2`, `unit`, `c_v0` AS `j0`
FROM `units`),
`base_2` AS (SELECT `patient_id` AS `c_patient_id`, `sex` AS `c_sex`, `_lapcat_unit` AS `unit`
FROM `patients`),
`right` AS (SELECT `c_sex`, `unit`, `c_patient_id` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_v1`, `l`.`c_v2`, `l`.`unit`, `r`.`c_sex` AS `c_sex@2`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`picked` AS (SELECT `c_sex@2` AS `k0`, CASE WHEN `c_v1` BETWEEN CAST(0 AS BIGINT) AND CAST(100 AS BIGINT) THEN `c_v1` WHEN `c_v1` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(100 AS BIGINT) < `c_v1` THEN CAST(100 AS BIGINT) END AS `v1`
FROM `pairs`
WHERE `c_v2` > CAST(CAST(1000 AS BIGINT) AS DOUBLE)),
`cells` AS (SELECT `k0`, SUM(`v1`) AS `a0`, COUNT(`v1`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(COALESCE(`keys0`.`place`, CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
LEFT JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(SUM(CAST(`a1` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(SUM(CAST(`a0` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))) - (CAST(50 AS DECIMAL(38, 0)) * COALESCE(CAST(SUM(CAST(`a1` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0)))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
GROUP BY `cell`
-- $list0 = ['f', 'm'] of 2
