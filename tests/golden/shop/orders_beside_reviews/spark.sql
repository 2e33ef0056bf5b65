WITH `base` AS (SELECT `status` AS `c_status`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`left` AS (SELECT `c_status`, `unit`
FROM `base`),
`base_2` AS (SELECT `_lapcat_unit` AS `unit`
FROM `reviews`
WHERE `_lapcat_rank` <= CAST(5 AS BIGINT)),
`right` AS (SELECT `unit`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_status`, `l`.`unit`
FROM `left` AS l
LEFT JOIN `right` AS r ON `l`.`unit` = `r`.`unit`),
`picked` AS (SELECT `c_status` AS `k0`
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
-- $list0 = ['open', 'sent', 'returned'] of 3
