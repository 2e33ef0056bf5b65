WITH `base` AS (SELECT `booked` AS `c_booked`, `cabin` AS `c_cabin`, `fare` AS `c_fare`, GREATEST(CAST(30 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_fare`
FROM `bookings`),
`picked` AS (SELECT `c_cabin` AS `k0`, `_lapcat_weighed_fare` AS `w1`, `_lapcat_weight` AS `w2`
FROM `base`
WHERE `c_booked` >= CAST('2024-06-01' AS DATE)),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`, SUM(`w2`) AS `a1`, SUM(`w2`) FILTER(WHERE `w1` IS NULL) AS `a2`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`, `a2`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))) - (CAST(1 AS DECIMAL(38, 0)) * COALESCE(CAST(`a2` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0)))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = ['economy', 'business'] of 2
