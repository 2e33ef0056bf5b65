WITH `base` AS (SELECT `age` AS `c_age`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_age`
FROM `staff`),
`step0` AS (SELECT *, CAST(CASE WHEN (`c_age` >= CAST(0 AS BIGINT)) AND (`c_age` <= CAST(109 AS BIGINT)) THEN `c_age` END AS DOUBLE) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` / NULLIF(CAST('5.0' AS DOUBLE), CAST('0.0' AS DOUBLE)) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END * CAST(5 AS BIGINT) AS `k0`, `_lapcat_weight` AS `w1`
FROM `step1`),
`cells` AS (SELECT `k0`, SUM(`w1`) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS BIGINT) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95] of 22
