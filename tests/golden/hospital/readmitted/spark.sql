WITH `base` AS (SELECT `admitted` AS `c_admitted`, `ward` AS `c_ward`, `_lapcat_unit` AS `unit`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`left` AS (SELECT `c_admitted`, `c_ward`, `unit`, `c_ward` AS `j0`
FROM `base`),
`base_2` AS (SELECT `admitted` AS `c_admitted`, `ward` AS `c_ward`, `_lapcat_unit` AS `unit`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`right` AS (SELECT `c_admitted`, `unit`, `c_ward` AS `j0`
FROM `base_2`),
`pairs` AS (SELECT `l`.`c_admitted`, `l`.`c_ward`, `l`.`unit`, `r`.`c_admitted` AS `c_admitted@2`
FROM `left` AS l
INNER JOIN `right` AS r ON (`l`.`j0` = `r`.`j0`) AND (`l`.`unit` = `r`.`unit`)),
`picked` AS (SELECT `c_ward` AS `k0`
FROM `pairs`
WHERE `c_admitted` < `c_admitted@2`),
`cells` AS (SELECT `k0`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(CASE WHEN `k0` BETWEEN CAST(1 AS BIGINT) AND CAST(6 AS BIGINT) THEN `k0` - CAST(1 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
