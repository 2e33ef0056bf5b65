WITH `base` AS (SELECT `age` AS `c_age`, `floor` AS `c_floor`, `hired` AS `c_hired`, GREATEST(CAST(10 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_age`
FROM `staff`),
`step0` AS (SELECT *, CAST(`c_floor` AS DOUBLE) AS `e0_0`, CAST(`c_age` AS STRING) AS `e0_1`
FROM `base`),
`step1` AS (SELECT *, CAST(CAST(2020 AS BIGINT) AS DOUBLE) + `e0_0` AS `e1_0`, RIGHT(CASE WHEN (CAST(LENGTH('000') AS BIGINT) + CAST(LENGTH(`e0_1`) AS BIGINT)) <= CAST(4096 AS BIGINT) THEN '000' || `e0_1` END, 2) AS `e1_1`
FROM `step0`),
`step2` AS (SELECT *, CAST(CASE WHEN (`e1_0` >= CAST('-9.223372036854776e+18' AS DOUBLE)) AND (`e1_0` < CAST('9.223372036854776e+18' AS DOUBLE)) THEN CAST(ROUND(`e1_0`) AS BIGINT) END AS STRING) AS `e2_0`, COALESCE(CASE WHEN (CAST(LENGTH('-') AS BIGINT) + CAST(LENGTH(`e1_1`) AS BIGINT)) <= CAST(4097 AS BIGINT) THEN '-' || `e1_1` END, '') AS `e2_1`
FROM `step1`),
`step3` AS (SELECT *, RIGHT(CASE WHEN (CAST(LENGTH('000') AS BIGINT) + CAST(LENGTH(`e2_0`) AS BIGINT)) <= CAST(4096 AS BIGINT) THEN '000' || `e2_0` END, 4) AS `e3_0`
FROM `step2`),
`step4` AS (SELECT *, COALESCE(CASE WHEN (CAST(LENGTH('-') AS BIGINT) + CAST(LENGTH(`e3_0`) AS BIGINT)) <= CAST(4097 AS BIGINT) THEN '-' || `e3_0` END, '') AS `e4_0`
FROM `step3`),
`step5` AS (SELECT *, SUBSTR(CASE WHEN (CAST(LENGTH(`e4_0`) AS BIGINT) + (CAST(LENGTH('-02') AS BIGINT) + CAST(LENGTH(`e2_1`) AS BIGINT))) <= CAST(4097 AS BIGINT) THEN `e4_0` || ('-02' || `e2_1`) END, 2) AS `e5_0`
FROM `step4`),
`picked` AS (SELECT CAST(DATE_TRUNC('month', CASE WHEN (`c_hired` >= CAST('2020-01-01' AS DATE)) AND (`c_hired` <= CAST('2024-12-31' AS DATE)) THEN `c_hired` END) AS DATE) AS `k0`, `_lapcat_weight` AS `w1`, CASE WHEN ((NULLIF(CAST(CAST(2020 AS BIGINT) AS DOUBLE) + `e0_0`, CAST('nan' AS DOUBLE)) >= CAST(CAST(1 AS BIGINT) AS DOUBLE)) AND (NULLIF(CAST(CAST(2020 AS BIGINT) AS DOUBLE) + `e0_0`, CAST('nan' AS DOUBLE)) <= CAST(CAST(9999 AS BIGINT) AS DOUBLE))) AND (TRUE AND ((`c_age` >= CAST(1 AS BIGINT)) AND (`c_age` <= CAST(31 AS BIGINT)))) THEN CASE WHEN REGEXP_LIKE(BTRIM(`e5_0`, ' '), '\\A(?:[0-9]{4}-[0-9]{2}-[0-9]{2})\\z') AND (BTRIM(`e5_0`, ' ') >= '0001') THEN CAST(BTRIM(`e5_0`, ' ') AS DATE) END END > `c_hired` AS `p2`
FROM `step5`),
`cells` AS (SELECT `k0`, SUM(`w1`) FILTER(WHERE `p2`) AS `a0`, SUM(`w1`) AS `a1`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`, `a1`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS DATE) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`, CAST(LEAST(GREATEST(COALESCE(CAST(`a1` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s1`
FROM `placed`
-- $list0 = [datetime.date(2020, 1, 1), datetime.date(2020, 2, 1), datetime.date(2020, 3, 1), datetime.date(2020, 4, 1), datetime.date(2020, 5, 1), datetime.date(2020, 6, 1), datetime.date(2020, 7, 1), datetime.date(2020, 8, 1), datetime.date(2020, 9, 1), datetime.date(2020, 10, 1), datetime.date(2020, 11, 1), datetime.date(2020, 12, 1), datetime.date(2021, 1, 1), datetime.date(2021, 2, 1), datetime.date(2021, 3, 1), datetime.date(2021, 4, 1), datetime.date(2021, 5, 1), datetime.date(2021, 6, 1), datetime.date(2021, 7, 1), datetime.date(2021, 8, 1)] of 60
