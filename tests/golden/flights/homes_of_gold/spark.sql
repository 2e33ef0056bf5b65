WITH `base` AS (SELECT `home` AS `c_home`, `tier` AS `c_tier`, `_lapcat_unit` AS `unit`
FROM `passengers`),
`picked` AS (SELECT `c_home` AS `k0`, `unit`
FROM `base`
WHERE `c_tier` = 'gold'),
`cells` AS (SELECT `k0`, COUNT(DISTINCT `unit`) AS `units`
FROM `picked`
WHERE NOT (`k0` IS NULL)
GROUP BY `k0`)
SELECT `k0` AS `p0`, CAST(`units` AS BIGINT) AS `units`, CAST(0 AS BIGINT) AS `cell`
FROM `cells` ORDER BY `k0`
