WITH `base` AS (SELECT `region` AS `c_region`
FROM `customers`),
`left` AS (SELECT `c_region` AS `j0`
FROM `base`),
`base_2` AS (SELECT `code` AS `c_code`, `country` AS `c_country`
FROM `regions`),
`right` AS (SELECT `c_country`, `c_code` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `r`.`c_country` AS `c_country@2`
FROM `left` AS l
LEFT JOIN `right` AS r ON `l`.`j0` = `r`.`j0`),
`picked` AS (SELECT `c_country@2` AS `k0`
FROM `pairs`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['x', 'y'] of 2
