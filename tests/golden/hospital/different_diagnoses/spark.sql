WITH `base` AS (SELECT `diagnosis` AS `c_diagnosis`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`picked` AS (SELECT `c_diagnosis` AS `d0`
FROM `base`),
`cells` AS (SELECT COUNT(DISTINCT `d0`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
