WITH `base` AS (SELECT `age` AS `c_age`, `name` AS `c_name`, `score` AS `c_score`, `seen` AS `c_seen`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_age`
FROM `staff`),
`picked` AS (SELECT `_lapcat_weight` AS `w0`
FROM `base`
WHERE ((CASE WHEN REGEXP_LIKE(BTRIM(`c_name`, ' '), '\\A(?:[+-]?[0-9]{1,18}(\\.0*)?)\\z') THEN CAST(SPLIT_PART(BTRIM(`c_name`, ' '), '.', 1) AS BIGINT) END = CAST(7 AS BIGINT)) AND (CASE WHEN REGEXP_LIKE(BTRIM(`c_name`, ' '), '\\A(?:[+-]?([0-9]{1,40}(\\.[0-9]{0,40})?|\\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?|[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?)\\z') THEN CAST(BTRIM(`c_name`, ' ') AS DOUBLE) END > CAST('0.5' AS DOUBLE))) AND ((CAST(`c_seen` AS DATE) = CAST('2024-05-01' AS DATE)) AND ((CAST(`c_age` AS STRING) LIKE '1%') AND (CASE WHEN (`c_score` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`c_score` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(RINT(`c_score`) AS BIGINT) END = CAST(3 AS BIGINT))))),
`cells` AS (SELECT SUM(`w0`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
