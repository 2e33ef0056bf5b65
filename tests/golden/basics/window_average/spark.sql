WITH `base` AS (SELECT `floor` AS `c_floor`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`
FROM `staff`),
`picked` AS (SELECT `c_floor` AS `k0`, `_lapcat_weight` AS `w1`
FROM `base`),
`cells` AS (SELECT `k0`, SUM(`w1`) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(CASE WHEN `k0` BETWEEN CAST(0 AS BIGINT) AND CAST(9 AS BIGINT) THEN `k0` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
