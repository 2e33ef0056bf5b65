WITH `base` AS (SELECT `flight` AS `c_flight`, `minutes` AS `c_minutes`, `_lapcat_weighed_minutes`
FROM `delays`),
`picked` AS (SELECT `c_flight` AS `d0`
FROM `base`
WHERE `c_minutes` > CAST(CAST(60 AS BIGINT) AS DOUBLE)),
`cells` AS (SELECT COUNT(DISTINCT `d0`) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
