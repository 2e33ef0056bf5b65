WITH `base` AS (SELECT `age` AS `c_age`, `salary` AS `c_salary`, `score` AS `c_score`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_age`, `_lapcat_weighed_salary`
FROM `staff`),
`step0` AS (SELECT *, CAST(`c_age` AS DOUBLE) AS `e0_0`, CAST(CAST(2 AS BIGINT) AS DOUBLE) * `c_score` AS `e0_1`
FROM `base`),
`step1` AS (SELECT *, `c_salary` / NULLIF(`e0_0`, CAST('0.0' AS DOUBLE)) AS `e1_0`
FROM `step0`),
`step2` AS (SELECT *, `e1_0` - `e0_1` AS `e2_0`
FROM `step1`),
`picked` AS (SELECT `_lapcat_weight` AS `w0`
FROM `step2`
WHERE NULLIF(`e2_0` * CAST(CAST(-1 AS BIGINT) AS DOUBLE), CAST('nan' AS DOUBLE)) < CAST(CAST(100 AS BIGINT) AS DOUBLE)),
`cells` AS (SELECT SUM(`w0`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
