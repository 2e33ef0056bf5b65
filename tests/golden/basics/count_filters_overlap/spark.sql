WITH `base` AS (SELECT `colour` AS `c_colour`, `weight` AS `c_weight`, `_lapcat_weighed_weight`
FROM `cats`),
`picked` AS (SELECT `c_colour` = 'orange' AS `p0`, `c_weight` > CAST('4.5' AS DOUBLE) AS `p1`
FROM `base`),
`cells` AS (SELECT COUNT(*) FILTER(WHERE `p0`) AS `a0`, COUNT(*) FILTER(WHERE `p1`) AS `a1`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`, `a1`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`
FROM `placed`
