WITH `base` AS (SELECT 1 AS `one`
FROM `patients`),
`picked` AS (SELECT 1 AS `one`
FROM `base`),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
