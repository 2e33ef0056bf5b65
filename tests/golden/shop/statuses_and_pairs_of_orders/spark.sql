WITH `base` AS (SELECT `status` AS `c_status`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `orders`),
`each` AS (SELECT `unit`, `rank`, `c_status` AS `c_k0`
FROM `base`),
`units` AS (SELECT `unit` AS `unit`, MIN(`rank`) AS `rank`
FROM `each`
GROUP BY `unit`, `c_k0`),
`ranked` AS (SELECT `rank`, `unit`, ROW_NUMBER() OVER (PARTITION BY `unit` ORDER BY `rank` NULLS LAST) AS `place`
FROM `units`),
`bounded` AS (SELECT `rank`, `unit`
FROM `ranked`
WHERE `place` <= CAST(20 AS BIGINT)),
`base_2` AS (SELECT `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`left` AS (SELECT `unit`
FROM `base_2`),
`base_3` AS (SELECT `_lapcat_unit` AS `unit`
FROM `orders`
WHERE `_lapcat_rank` <= CAST(20 AS BIGINT)),
`right` AS (SELECT `unit`
FROM `base_3`),
`pairs` AS (SELECT `l`.`unit`
FROM `left` AS l
INNER JOIN `right` AS r ON `l`.`unit` = `r`.`unit`),
`parts` AS (SELECT 1 AS `one`
FROM `bounded` UNION ALL SELECT 1 AS `one`
FROM `pairs`),
`picked` AS (SELECT 1 AS `one`
FROM `parts`),
`cells` AS (SELECT COUNT(*) AS `a0`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
