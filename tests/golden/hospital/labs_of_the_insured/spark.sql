WITH `base` AS (SELECT `taken` AS `c_taken`, `visit_id` AS `c_visit_id`, GREATEST(CAST(40 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_unit` AS `unit`, `_lapcat_weight`
FROM `labs`),
`left` AS (SELECT `c_taken`, `size`, `unit`, `c_visit_id` AS `j0`
FROM `base`),
`base_2` AS (SELECT `patient_id` AS `c_patient_id`, `visit_id` AS `c_visit_id`, `_lapcat_unit` AS `unit`
FROM `visits`),
`right` AS (SELECT `c_patient_id`, `unit`, `c_visit_id` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_taken`, `l`.`size`, `l`.`unit`, `r`.`c_patient_id` AS `c_patient_id@2`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`left_2` AS (SELECT `c_taken`, `size`, `unit`, `c_patient_id@2` AS `j0`
FROM `pairs`),
`base_3` AS (SELECT `insured` AS `c_insured`, `patient_id` AS `c_patient_id`, `_lapcat_unit` AS `unit`
FROM `patients`),
`right_2` AS (SELECT `c_insured`, `unit`, `c_patient_id` AS `j0`
FROM `base_3`),
`pairs_2` AS (SELECT `l`.`c_taken`, `l`.`size`, `l`.`unit`, `r`.`c_insured` AS `c_insured@3`
FROM `left_2` AS l
INNER JOIN `right_2` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`picked` AS (SELECT CAST(DATE_PART('hour', CASE WHEN (CAST(`c_taken` AS DATE) >= CAST('2022-01-01' AS DATE)) AND (CAST(`c_taken` AS DATE) <= CAST('2024-12-31' AS DATE)) THEN `c_taken` END) AS BIGINT) AS `k0`, CAST((CAST(CAST(1048576 AS BIGINT) AS DOUBLE) * CAST('40.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`
FROM `pairs_2`
WHERE `c_insured@3`),
`cells` AS (SELECT `k0`, SUM(`w1`) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(CASE WHEN `k0` BETWEEN CAST(0 AS BIGINT) AND CAST(23 AS BIGINT) THEN `k0` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
