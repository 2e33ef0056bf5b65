WITH `base` AS (SELECT `age` AS `c_age`, `region` AS `c_region`, `_lapcat_unit` AS `unit`
FROM `customers`
WHERE `_lapcat_rank` <= CAST(1 AS BIGINT)),
`left` AS (SELECT `c_region`, `unit`, `c_age` >= CAST(30 AS BIGINT) AS `j0`
FROM `base`),
`base_2` AS (SELECT `amount` AS `c_amount`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`kept` AS (SELECT `c_amount`, `unit`
FROM `base_2`
WHERE `c_amount` > CAST(CAST(100 AS BIGINT) AS DOUBLE)),
`right` AS (SELECT `c_amount`, `unit`, TRUE AS `j0`
FROM `kept`),
`pairs` AS (SELECT `l`.`c_region`, `l`.`unit`, `r`.`c_amount` AS `c_amount@2`
FROM `left` AS l
LEFT JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`picked` AS (SELECT `c_region` AS `k0`, `c_amount@2` AS `v1`
FROM `pairs`),
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
