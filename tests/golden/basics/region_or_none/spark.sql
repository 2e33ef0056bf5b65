WITH `base` AS (SELECT `region` AS `c_region`, `salary` AS `c_salary`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_salary`
FROM `staff`),
`picked` AS (SELECT COALESCE(`c_region`, 'none') AS `k0`, `_lapcat_weighed_salary` AS `w1`, `_lapcat_weight` AS `w2`
FROM `base`),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, SUM(`w2`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['north', 'south', 'west', 'none'] of 4
