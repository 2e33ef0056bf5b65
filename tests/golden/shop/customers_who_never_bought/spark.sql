WITH `base` AS (SELECT `newsletter` AS `c_newsletter`, `region` AS `c_region`, `_lapcat_unit` AS `unit`
FROM `customers`),
`left` AS (SELECT `c_newsletter`, `c_region`, `unit`
FROM `base`),
`base_2` AS (SELECT `_lapcat_unit` AS `unit`
FROM `orders`),
`each` AS (SELECT `unit`
FROM `base_2`),
`units` AS (SELECT `unit` AS `unit`, CAST(COUNT(*) AS BIGINT) AS `c_n`
FROM `each`
GROUP BY `unit`),
`right` AS (SELECT `c_n`, `unit`
FROM `units`),
`pairs` AS (SELECT `l`.`c_newsletter`, `l`.`c_region`, `l`.`unit`, `r`.`c_n` AS `c_n@2`
FROM `left` AS l
LEFT JOIN `right` AS r ON `l`.`unit` = `r`.`unit`),
`picked` AS (SELECT `c_region` AS `k0`
FROM `pairs`
WHERE `c_newsletter` AND (`c_n@2` IS NULL)),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['N', 'S', 'W'] of 3
