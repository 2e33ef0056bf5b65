WITH `base` AS (SELECT `age` AS `c_age`, `hired` AS `c_hired`, `score` AS `c_score`, `seen` AS `c_seen`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_age`
FROM `staff`),
`picked` AS (SELECT `_lapcat_weight` AS `w0`
FROM `base`
WHERE ((ABS(`c_score`) > CAST(CAST(1 AS BIGINT) AS DOUBLE)) AND ((CASE WHEN (`c_score` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`c_score` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(ROUND(`c_score`) AS BIGINT) END = CAST(2 AS BIGINT)) AND (CASE WHEN (`c_score` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`c_score` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(CEIL(`c_score`) AS BIGINT) END < CAST(9 AS BIGINT)))) AND (((LEAST(`c_score`, CAST(`c_age` AS DOUBLE)) < GREATEST(`c_score`, CAST(CAST(7 AS BIGINT) AS DOUBLE))) AND (COALESCE(`c_age`, CAST(18 AS BIGINT)) >= CAST(18 AS BIGINT))) AND ((CAST(DATE_PART('hour', `c_seen`) AS BIGINT) = CAST(12 AS BIGINT)) AND (CAST(WEEKDAY(`c_hired`) + 1 AS BIGINT) = CAST(1 AS BIGINT))))),
`cells` AS (SELECT SUM(`w0`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
