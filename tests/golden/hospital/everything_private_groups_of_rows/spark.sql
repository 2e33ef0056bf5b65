WITH `base` AS (SELECT `street` AS `c_street`, `waited` AS `c_waited`, `_lapcat_weighed_waited`
FROM `survey`),
`picked` AS (SELECT `c_street` AS `k0`, `_lapcat_weighed_waited` AS `v1`, CASE WHEN `c_waited` = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE `c_waited` END AS `d2`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`v1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`v1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, COUNT(DISTINCT `d2`) AS `a1`, COUNT(`v1`) AS `a2`, COUNT(*) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`)
SELECT `k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, CAST(0 AS BIGINT) AS `cell`, CAST(`a1` AS BIGINT) AS `s0`, CAST(`a2` AS BIGINT) AS `s1`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s2`
FROM `cells` ORDER BY `k0`
WITH `base` AS (SELECT `street` AS `c_street`, `waited` AS `c_waited`, `_lapcat_weighed_waited`
FROM `survey`),
`step0` AS (SELECT *, CASE WHEN `c_waited` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('600.0' AS DOUBLE) THEN `c_waited` WHEN `c_waited` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_waited` <= CAST('inf' AS DOUBLE) THEN CAST('600.0' AS DOUBLE) END AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, `e0_0` * CAST('1.0' AS DOUBLE) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT `c_street` AS `k0`, CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(FLOOR(`e1_0`) AS BIGINT) END AS `k1`
FROM `step1`),
`combinations` AS (SELECT `k0`, COUNT(*) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`, `k1`),
`placed` AS (SELECT `k0`, COALESCE(CASE WHEN `k1` BETWEEN CAST(0 AS BIGINT) AND CAST(600 AS BIGINT) THEN `k1` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`),
`ready` AS (SELECT `k0`, `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`)
SELECT `combinations`.`k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, COALESCE(`cell`, CAST(-1 AS BIGINT)) AS `cell`, `s0`
FROM `combinations`
LEFT JOIN `ready` ON `combinations`.`k0` = `ready`.`k0`
WITH `base` AS (SELECT `pain` AS `c_pain`, `street` AS `c_street`, `_lapcat_weighed_pain`
FROM `survey`),
`picked` AS (SELECT `c_street` AS `k0`, `c_pain` AS `k1`
FROM `base`),
`combinations` AS (SELECT `k0`, COUNT(*) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`, `k1`),
`placed` AS (SELECT `k0`, COALESCE(`keys1`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS BIGINT) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list1, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys1` ON `k1` = `keys1`.`value`),
`ready` AS (SELECT `k0`, `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`)
SELECT `combinations`.`k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, COALESCE(`cell`, CAST(-1 AS BIGINT)) AS `cell`, `s0`
FROM `combinations`
LEFT JOIN `ready` ON `combinations`.`k0` = `ready`.`k0`
-- $list1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] of 11
