WITH `base` AS (SELECT `email` AS `c_email`
FROM `customers`),
`step0` AS (SELECT *, SPLIT_PART(`c_email`, '@', 2) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, TRANSLATE(`e0_0`, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') AS `e1_0`
FROM `step0`),
`picked` AS (SELECT CASE WHEN `e1_0` IN ('example.com', 'example.org') THEN 'example' ELSE 'other' END AS `k0`, TRANSLATE(`c_email`, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') AS `d1`
FROM `step1`),
`cells` AS (SELECT `k0`, COUNT(DISTINCT `d1`) AS `a0`, COUNT(*) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['example', 'other'] of 2
