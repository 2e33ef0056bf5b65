WITH `base` AS (SELECT `hired` AS `c_hired`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`
FROM `staff`),
`picked` AS (SELECT SUBSTR(CAST(CASE WHEN (`c_hired` >= CAST('2020-01-01' AS DATE)) AND (`c_hired` <= CAST('2024-12-31' AS DATE)) THEN `c_hired` END AS STRING), 1, 7) AS `k0`, `_lapcat_weight` AS `w1`
FROM `base`),
`cells` AS (SELECT `k0`, SUM(`w1`) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS STRING) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = ['2020-01', '2020-02', '2020-03', '2020-04', '2020-05', '2020-06', '2020-07', '2020-08', '2020-09', '2020-10', '2020-11', '2020-12', '2021-01', '2021-02', '2021-03', '2021-04', '2021-05', '2021-06', '2021-07', '2021-08'] of 60
