WITH `base` AS (SELECT `status` AS `c_status`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(10000 AS BIGINT)),
`keyed` AS (SELECT `c_status`, `rank`, `unit`, `c_status` AS `g0`
FROM `base`),
`ordered` AS (SELECT `c_status`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, FIRST_VALUE(`rank`) OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `least`
FROM `keyed`),
`ranked` AS (SELECT `c_status`, `rank`, `unit`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`
WHERE `place` <= CAST(3 AS BIGINT)),
`bounded` AS (SELECT `c_status`, `rank`, `unit`
FROM `ranked`
WHERE `which` <= CAST(2 AS BIGINT)),
`picked` AS (SELECT `c_status` AS `k0`
FROM `bounded`),
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
