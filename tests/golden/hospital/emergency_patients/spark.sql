WITH `base` AS (SELECT `days` AS `c_days`, `emergency` AS `c_emergency`, `_lapcat_unit` AS `unit`
FROM `visits`),
`picked` AS (SELECT `c_days` > CAST(7 AS BIGINT) AS `p0`, `unit`
FROM `base`
WHERE `c_emergency`),
`cells` AS (SELECT COUNT(DISTINCT `unit`) FILTER(WHERE `p0`) AS `a0`, COUNT(DISTINCT `unit`) AS `a1`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`, `a1`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`
FROM `placed`
