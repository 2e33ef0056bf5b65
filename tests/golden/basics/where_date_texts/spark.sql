WITH `base` AS (SELECT `hired` AS `c_hired`, `seen` AS `c_seen`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`
FROM `staff`),
`picked` AS (SELECT `_lapcat_weight` AS `w0`, ((((((((LPAD(CAST(CAST(DATE_PART('year', `c_seen`) AS BIGINT) AS STRING), 4, '0') || '-') || LPAD(CAST(CAST(DATE_PART('month', `c_seen`) AS BIGINT) AS STRING), 2, '0')) || '-') || LPAD(CAST(CAST(DATE_PART('day', `c_seen`) AS BIGINT) AS STRING), 2, '0')) || ' ') || LPAD(CAST(CAST(DATE_PART('hour', `c_seen`) AS BIGINT) AS STRING), 2, '0')) || ':') || LPAD(CAST(CAST(DATE_PART('minute', `c_seen`) AS BIGINT) AS STRING), 2, '0')) < '2024-03-01 06:30' AS `p1`, LPAD(CAST(CAST(DATE_PART('year', `c_hired`) AS BIGINT) AS STRING), 4, '0') = '2024' AS `p2`
FROM `base`
WHERE (CAST(WEEKOFYEAR(`c_hired`) AS BIGINT) <= CAST(26 AS BIGINT)) AND ((CAST(SECOND(`c_seen`) AS BIGINT) < CAST(30 AS BIGINT)) AND (CAST(DATE_PART('yearofweek', `c_hired`) AS BIGINT) > CAST(2020 AS BIGINT)))),
`cells` AS (SELECT SUM(`w0`) FILTER(WHERE `p1`) AS `a0`, SUM(`w0`) FILTER(WHERE `p2`) AS `a1`
FROM `picked`),
`placed` AS (SELECT CAST(0 AS BIGINT) AS `cell`, `a0`, `a1`
FROM `cells`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
