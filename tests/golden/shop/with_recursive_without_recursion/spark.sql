WITH `base` AS (SELECT GREATEST(CAST(20 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`
FROM `orders`),
`picked` AS (SELECT `_lapcat_weight` AS `w0`
FROM `base`),
`cells` AS (SELECT SUM(`w0`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
