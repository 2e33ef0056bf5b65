WITH `base` AS (SELECT `born` AS `c_born`
FROM `passengers`),
`step0` AS (SELECT *, CAST(CAST(DATE_PART('year', CASE WHEN (`c_born` >= CAST('1930-01-01' AS DATE)) AND (`c_born` <= CAST('2024-12-31' AS DATE)) THEN `c_born` END) AS BIGINT) AS DOUBLE) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` / NULLIF(CAST(CAST(10 AS BIGINT) AS DOUBLE), CAST('0.0' AS DOUBLE)) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT CAST(10 AS BIGINT) * CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END AS `k0`
FROM `step1`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS BIGINT) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = [1930, 1940, 1950, 1960, 1970, 1980, 1990, 2000, 2010, 2020] of 10
