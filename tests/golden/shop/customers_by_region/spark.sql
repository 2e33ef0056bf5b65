WITH `base` AS (SELECT `email` AS `c_email`, `region` AS `c_region`
FROM `customers`),
`picked` AS (SELECT `c_region` AS `k0`, `c_email` AS `v1`
FROM `base`),
`cells` AS (SELECT `k0`, COUNT(`v1`) AS `a0`, COUNT(*) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['N', 'S', 'W'] of 3
