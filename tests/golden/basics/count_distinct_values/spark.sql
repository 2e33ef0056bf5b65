WITH `base` AS (SELECT `region` AS `c_region`
FROM `staff`
WHERE `_lapcat_rank` <= CAST(10 AS BIGINT)),
`picked` AS (SELECT `c_region` AS `d0`
FROM `base`),
`cells` AS (SELECT COUNT(DISTINCT `d0`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
