WITH `base` AS (SELECT `days` AS `c_days`, `ward` AS `c_ward`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`picked` AS (SELECT `c_ward` AS `k0`, CASE WHEN `c_days` BETWEEN CAST(0 AS BIGINT) AND CAST(60 AS BIGINT) THEN `c_days` WHEN `c_days` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(60 AS BIGINT) < `c_days` THEN CAST(60 AS BIGINT) END AS `v1`, `c_days` AS `d2`
FROM `base`),
`cells` AS (SELECT `k0`, SUM(`v1`) AS `a0`, COUNT(`v1`) AS `a1`, COUNT(DISTINCT `d2`) AS `a2`, COUNT(*) AS `a3`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(CASE WHEN `k0` BETWEEN CAST(1 AS BIGINT) AND CAST(6 AS BIGINT) THEN `k0` - CAST(1 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`, `a2`, `a3`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a2` AS BIGINT) AS `s0`, CAST(`a1` AS BIGINT) AS `s1`, CAST(`a3` AS BIGINT) AS `s2`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))) - (CAST(30 AS DECIMAL(38, 0)) * COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0)))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s3`
FROM `placed`
WITH `base` AS (SELECT `days` AS `c_days`, `ward` AS `c_ward`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`picked` AS (SELECT `c_ward` AS `k0`, CASE WHEN `c_days` BETWEEN CAST(0 AS BIGINT) AND CAST(60 AS BIGINT) THEN `c_days` WHEN `c_days` < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(60 AS BIGINT) < `c_days` THEN CAST(60 AS BIGINT) END AS `k1`
FROM `base`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((CASE WHEN `k0` BETWEEN CAST(1 AS BIGINT) AND CAST(6 AS BIGINT) THEN `k0` - CAST(1 AS BIGINT) END * CAST(61 AS BIGINT)) + CASE WHEN `k1` BETWEEN CAST(0 AS BIGINT) AND CAST(60 AS BIGINT) THEN `k1` - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
WITH `base` AS (SELECT `emergency` AS `c_emergency`, `ward` AS `c_ward`
FROM `visits`
WHERE `_lapcat_rank` <= CAST(8 AS BIGINT)),
`picked` AS (SELECT `c_ward` AS `k0`, `c_emergency` AS `k1`
FROM `base`),
`cells` AS (SELECT `k0`, `k1`, COUNT(*) AS `a0`
FROM `picked`
GROUP BY `k0`, `k1`),
`placed` AS (SELECT COALESCE((CASE WHEN `k0` BETWEEN CAST(1 AS BIGINT) AND CAST(6 AS BIGINT) THEN `k0` - CAST(1 AS BIGINT) END * CAST(2 AS BIGINT)) + `keys1`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS BOOLEAN) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list1, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys1` ON `k1` = `keys1`.`value`)
SELECT `cell` AS `cell`, CAST(`a0` AS BIGINT) AS `s0`
FROM `placed`
-- $list1 = [False, True] of 2
