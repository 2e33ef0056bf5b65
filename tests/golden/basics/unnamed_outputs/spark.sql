WITH `base` AS (SELECT `age` AS `c_age`, `region` AS `c_region`, `salary` AS `c_salary`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_age`, `_lapcat_weighed_salary`
FROM `staff`),
`picked` AS (SELECT `c_region` AS `k0`, CAST((CAST(FLOOR(CASE WHEN `c_salary` BETWEEN CAST('20000.0' AS DOUBLE) AND CAST('200000.0' AS DOUBLE) THEN `c_salary` WHEN `c_salary` < CAST('20000.0' AS DOUBLE) THEN CAST('20000.0' AS DOUBLE) WHEN `c_salary` <= CAST('inf' AS DOUBLE) THEN CAST('200000.0' AS DOUBLE) ELSE CAST('20000.0' AS DOUBLE) END * CAST('8192.0' AS DOUBLE)) AS DOUBLE) * CAST('10.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`, `c_age` >= CAST(18 AS BIGINT) AS `p2`, `_lapcat_weight` AS `w3`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) FILTER(WHERE `p2`) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) FILTER(WHERE `p2`) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, SUM(`w3`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['north', 'south', 'west'] of 3
