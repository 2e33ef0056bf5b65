WITH `base` AS (SELECT `region` AS `c_region`
FROM `customers`),
`left` AS (SELECT `c_region` AS `j0`
FROM `base`),
`base_2` AS (SELECT `code` AS `c_code`, `name` AS `c_name`
FROM `regions`),
`right` AS (SELECT `c_name`, `c_code` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `r`.`c_name` AS `c_name@2`
FROM `left` AS l
INNER JOIN `right` AS r ON `l`.`j0` = `r`.`j0`),
`picked` AS (SELECT `c_name@2` AS `k0`
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
-- $list0 = ['north', 'south', 'west'] of 3
