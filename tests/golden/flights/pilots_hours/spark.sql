WITH `base` AS (SELECT `hours` AS `c_hours`, `_lapcat_unit` AS `unit`
FROM `pilots`
WHERE `_lapcat_rank` <= CAST(3 AS BIGINT)),
`picked` AS (SELECT CASE WHEN `c_hours` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(2000 AS BIGINT) < `c_hours` THEN CAST(2000 AS BIGINT) ELSE `c_hours` END AS `v0`, `unit`
FROM `base`),
`cells` AS (SELECT SUM(`v0`) AS `a0`, COUNT(DISTINCT `unit`) AS `a1`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`, `a1`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`
FROM `placed`
