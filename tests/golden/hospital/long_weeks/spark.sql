WITH `base` AS (SELECT `began` AS `c_began`, `hours` AS `c_hours`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `shifts`),
`each` AS (SELECT `unit`, `rank`, CAST(DATE_TRUNC('week', CASE WHEN (CAST(`c_began` AS DATE) >= CAST('2024-01-01' AS DATE)) AND (CAST(`c_began` AS DATE) <= CAST('2024-12-31' AS DATE)) THEN `c_began` END) AS TIMESTAMP_NTZ) AS `c_k0`, CASE WHEN `c_hours` BETWEEN CAST(0 AS BIGINT) AND CAST(24 AS BIGINT) THEN `c_hours` WHEN `c_hours` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(24 AS BIGINT) < `c_hours` THEN CAST(24 AS BIGINT) END AS `v_v1`
FROM `base`),
`units` AS (SELECT `unit` AS `unit`, MIN(`rank`) AS `rank`, CAST(CASE WHEN NOT (SUM(`v_v1`) IS NULL) THEN LEAST(GREATEST(CAST(SUM(`v_v1`) AS DECIMAL(38, 0)), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) END AS BIGINT) AS `c_v1`
FROM `each`
GROUP BY `unit`, `c_k0`),
`kept` AS (SELECT `rank`, `unit`
FROM `units`
WHERE `c_v1` > CAST(48 AS BIGINT)),
`ranked` AS (SELECT `rank`, `unit`, ROW_NUMBER() OVER (PARTITION BY `unit` ORDER BY `rank` NULLS LAST) AS `place`
FROM `kept`),
`bounded` AS (SELECT `rank`, `unit`
FROM `ranked`
WHERE `place` <= CAST(30 AS BIGINT)),
`picked` AS (SELECT 1 AS `one`
FROM `bounded`),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
