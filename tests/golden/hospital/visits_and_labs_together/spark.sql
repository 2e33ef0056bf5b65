WITH `base` AS (SELECT 1 AS `one`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`base_2` AS (SELECT 1 AS `one`
FROM `labs`
WHERE `_lapcat_rank` <= CAST(40 AS BIGINT)),
`parts` AS (SELECT CAST(1 AS BIGINT) AS `c_u1`
FROM `base` UNION ALL SELECT CAST(2 AS BIGINT) AS `c_u1`
FROM `base_2`),
`picked` AS (SELECT 1 AS `one`
FROM `parts`
WHERE `c_u1` = CAST(2 AS BIGINT)),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
