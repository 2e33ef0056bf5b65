WITH `base` AS (SELECT `diagnosis` AS `c_diagnosis`, `_lapcat_rank` AS `rank`, `_lapcat_unit` AS `unit`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(10000 AS BIGINT)),
`keyed` AS (SELECT `c_diagnosis`, `rank`, `unit`, `c_diagnosis` AS `g0`
FROM `base`),
`ordered` AS (SELECT `c_diagnosis`, `rank`, `unit`, `g0`, ROW_NUMBER() OVER (PARTITION BY `unit`, `g0` ORDER BY `rank` NULLS LAST) AS `place`, MIN(`rank`) OVER (PARTITION BY `unit`, `g0`) AS `least`
FROM `keyed`),
`ranked` AS (SELECT `c_diagnosis`, `rank`, `unit`, `place`, DENSE_RANK() OVER (PARTITION BY `unit` ORDER BY `least` NULLS LAST, `g0` NULLS LAST) AS `which`
FROM `ordered`),
`bounded` AS (SELECT `c_diagnosis`, `rank`, `unit`
FROM `ranked`
WHERE (`which` <= CAST(3 AS BIGINT)) AND (`place` <= CAST(1 AS BIGINT))),
`picked` AS (SELECT `c_diagnosis` AS `k0`, `unit`
FROM `bounded`),
`cells` AS (SELECT `k0`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`)
SELECT `k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, CAST(0 AS BIGINT) AS `cell`
FROM `cells` ORDER BY `k0`
